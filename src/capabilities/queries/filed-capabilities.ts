import type { HostedAgent } from '../../config/hosted-agents.js';
import type { AgentId, SkillId } from '../../kernel/ids.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { timestampOf } from '../../kernel/timestamp.js';
import type { Capability } from '../domain/capability.js';
import type { Manifest } from '../domain/manifest.js';
import { replacementsFirst } from '../manifest-files/in-order.js';
import { readManifestFiles } from '../manifest-files/read-manifest-files.js';

/**
 * What a new registry would hold of an agent once the manifest files of these agents are loaded, in
 * the order of its registrations: for whoever looks at the files without a service.
 *
 * Refuses with the faults of the files, each with its place.
 */
export async function filedCapabilities(
  agents: readonly HostedAgent[],
  agentId: AgentId,
): Promise<Result<ReadonlyMap<SkillId, Capability>, readonly string[]>> {
  const { manifests, faults } = await readManifestFiles(agents);
  if (faults.length > 0) return err(faults);
  const own = replacementsFirst(manifests).filter(({ manifest }) => manifest.agentId === agentId);
  return ok(new Map(own.map(({ manifest }) => [manifest.id, registered(manifest)])));
}

function registered(manifest: Manifest): Capability {
  const moment = timestampOf(0);
  return { manifest, optedIn: new Set(), registeredAt: moment, updatedAt: moment, revision: 0 };
}
