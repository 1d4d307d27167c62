import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../../src/kernel/json.js';
import type { Deployment } from './deployment.js';

const EXAMPLE = new URL('../../../examples/tck/', import.meta.url);
const HANDLER = new URL('../../../src/cli/tck/tck-agent.ts', import.meta.url);

/** The conformance agent, from source; its scenarios begin with the message id. */
export async function tckDeployment(
  env: Readonly<Record<string, string>> = {},
): Promise<Deployment> {
  const example = JSON.parse(await readFile(new URL('agents.json', EXAMPLE), 'utf8')) as {
    agents: readonly JsonObject[];
  };
  const capabilities = fileURLToPath(new URL('capabilities', EXAMPLE));
  const agents = example.agents.map((agent) => ({
    ...agent,
    capabilities,
    handlers: [fileURLToPath(HANDLER)],
  }));
  const folder = await mkdtemp(join(tmpdir(), 'countersign-tck-'));
  const file = join(folder, 'agents.json');
  await writeFile(file, JSON.stringify({ agents }));
  const tests = { ALLOW_LOOPBACK_WEBHOOKS: '1', TEXT_CLASSIFIER: 'words' };
  return { folder, env: { HOSTED_AGENTS: file, ...tests, ...env } };
}
