import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../../src/kernel/json.js';

const HANDLERS = fileURLToPath(new URL('./scripted-agent.ts', import.meta.url));

/** Tenant of the hosted agents, whose operators manage their capabilities. */
export const HOST_TENANT = 'host';

export interface Deployment {
  /** For the service's own files, too. */
  readonly folder: string;
  /** Variables beside those of a development node. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Writes what a deployment hosts: agents with their manifests, implemented by the scripted agent.
 * @param agents manifests by the agent's id
 * @param more what else the file says of each agent: its `backends`
 */
export async function deployment(
  agents: Readonly<Record<string, readonly JsonObject[]>>,
  env: Readonly<Record<string, string>> = {},
  more: JsonObject = {},
): Promise<Deployment> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-e2e-'));
  for (const [agentId, manifests] of Object.entries(agents)) {
    await mkdir(join(folder, agentId));
    for (const each of manifests) {
      await writeFile(join(folder, agentId, `${String(each['id'])}.json`), JSON.stringify(each));
    }
  }
  const hosted = Object.keys(agents).map((agentId) => ({
    agentId,
    tenant: HOST_TENANT,
    name: 'Agent under test',
    description: 'Does what it is told.',
    version: '1.0',
    capabilities: agentId,
    handlers: [HANDLERS],
    ...more,
  }));
  const file = join(folder, 'agents.json');
  await writeFile(file, JSON.stringify({ agents: hosted }));
  return { folder, env: { HOSTED_AGENTS: file, TEXT_CLASSIFIER: 'words', ...env } };
}

/** A public manifest for scripts; `more` says what is different. */
export function scripted(id: string, more: JsonObject = {}): JsonObject {
  const { skill, ...others } = more;
  return {
    id,
    state: 'ga',
    visibility: 'public',
    requires_scopes: [],
    tenants: '*',
    handler: 'e2e.scripted',
    limits: {},
    owner: 'team',
    ...others,
    skill: {
      name: `Skill ${id}`,
      description: 'Plays a script.',
      tags: ['script'],
      examples: ['Play it.', 'Play this script.', 'Play the script again.'],
      inputModes: ['application/json', 'text/plain'],
      outputModes: ['text/plain'],
      ...(skill as JsonObject | undefined),
    },
  };
}
