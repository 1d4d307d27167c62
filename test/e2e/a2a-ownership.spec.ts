import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe } from '@jest/globals';
import type { JsonObject } from '../../src/kernel/json.js';
import { jsonRpc, saying, taskIdOf } from '../a2a/transports/support/bindings.js';
import { ownershipMatrix } from '../a2a/transports/support/ownership-matrix.js';
import { startTestService, type InProcessService } from '../support/service.js';

const EXAMPLE = new URL('../../examples/tck/', import.meta.url);
const HANDLER = new URL('../../src/cli/tck/tck-agent.ts', import.meta.url);

/** The conformance agent, from source; its scenarios begin with the message id. */
async function agentsFile(folder: string): Promise<string> {
  const example = JSON.parse(await readFile(new URL('agents.json', EXAMPLE), 'utf8')) as {
    agents: readonly JsonObject[];
  };
  const capabilities = fileURLToPath(new URL('capabilities', EXAMPLE));
  const agents = example.agents.map((agent) => ({ ...agent, capabilities }));
  const file = join(folder, 'agents.json');
  await writeFile(file, JSON.stringify({ handlers: [fileURLToPath(HANDLER)], agents }));
  return file;
}

describe('whose a task is, in a real service', () => {
  let folder: string;
  let service: InProcessService;
  let ownersToken: string;
  let othersToken: string;
  let count = 0;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'a2a-ownership-'));
    const env = {
      HOSTED_AGENTS: await agentsFile(folder),
      A2A_ANONYMOUS: 'secret',
      ALLOW_LOOPBACK_WEBHOOKS: '1',
      TEXT_CLASSIFIER: 'words',
    };
    service = await startTestService({ env });
    ownersToken = await service.token({ principal: 'alice', scopes: [] });
    othersToken = await service.token({ principal: 'bob', scopes: [] });
  });

  afterAll(async () => {
    await service.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  ownershipMatrix(() => {
    const agentUrl = `${service.url}/a2a/tck`;
    return {
      agentUrl,
      ownersToken,
      othersToken,
      task: async (kind) => {
        count++;
        const scenario = kind === 'live' ? 'tck-input-required' : 'tck-complete-task';
        const params = saying('x', { messageId: `${scenario}-${String(count)}` });
        const ask = { token: ownersToken };
        return taskIdOf(await jsonRpc.call(agentUrl, 'SendMessage', params, ask));
      },
    };
  });
});
