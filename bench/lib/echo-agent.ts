import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SkillTexts } from '../../src/a2a/routing/text-classifier.js';

/** A hosted agent whose skills all say what they are told, to callers with one scope. */
export interface EchoAgent {
  readonly agentId: string;
  readonly name: string;
  readonly description: string;
  readonly scope: string;
  readonly skills: readonly SkillTexts[];
}

/** Writes its manifests, and the file for `HOSTED_AGENTS`; returns the path of that. */
export function writeEchoAgent(
  folder: string,
  { agentId, name, description, scope, skills }: EchoAgent,
): string {
  const capabilities = join(folder, 'capabilities');
  mkdirSync(capabilities);
  for (const { skillId, ...texts } of skills) {
    const manifest = {
      id: skillId,
      agentId,
      state: 'ga',
      visibility: 'extended',
      skill: { ...texts, inputModes: ['text/plain'], outputModes: ['text/plain'] },
      requires_scopes: [scope],
      tenants: '*',
      handler: 'echo',
      limits: {},
      owner: 'bench',
    };
    writeFileSync(join(capabilities, `${skillId}.json`), JSON.stringify(manifest));
  }
  const agent = {
    agentId,
    tenant: 'bench.example',
    name,
    description,
    version: '1.0',
    capabilities,
    handlers: [fileURLToPath(new URL('./echo-handler.mjs', import.meta.url))],
  };
  const file = join(folder, 'agents.json');
  writeFileSync(file, JSON.stringify({ agents: [agent] }));
  return file;
}
