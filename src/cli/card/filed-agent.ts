import type { Capability } from '../../capabilities/domain/capability.js';
import { filedCapabilities } from '../../capabilities/queries/filed-capabilities.js';
import type { HostedAgent } from '../../config/hosted-agents.js';
import { readHostedAgents } from '../../config/hosted-agents-file.js';
import type { SkillId } from '../../kernel/ids.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { cliFault, type CliFault } from '../cli-fault.js';

/** An agent of an agents file, with what its manifest files amount to. */
export interface FiledAgent {
  readonly agent: HostedAgent;
  readonly capabilities: ReadonlyMap<SkillId, Capability>;
}

/**
 * Refuses with `agents-invalid`, `manifests-invalid`, and `usage` when the file has no such agent.
 * @param id whose; undefined for the first agent of the file
 */
export async function filedAgent(
  file: string,
  id: string | undefined,
): Promise<Result<FiledAgent, CliFault>> {
  const hosted = readHostedAgents(file, false);
  if (!hosted.ok) {
    const faults = hosted.error.map(({ pointer, detail }) => `${pointer} ${detail}`.trim());
    return err(cliFault('agents-invalid', `${file}: ${faults.join('; ')}`));
  }
  const agents = hosted.value;
  const agent = agents.find(({ agentId }) => id === undefined || agentId === id);
  if (agent === undefined) return err(cliFault('usage', `${file} has no agent ${id ?? ''}`));
  const capabilities = await filedCapabilities(agents, agent.agentId);
  if (!capabilities.ok) return err(cliFault('manifests-invalid', capabilities.error.join('; ')));
  return ok({ agent, capabilities: capabilities.value });
}
