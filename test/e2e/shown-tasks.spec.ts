import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../src/kernel/json.js';
import { taskIdOf, type Reply } from '../a2a/transports/support/bindings.js';
import { PROCESS_TEST_TIMEOUT } from '../contracts/support/effort.js';
import { eventually } from '../support/eventually.js';
import type { SpawnedService } from '../support/service.js';
import { deployment, scripted, type Deployment } from './support/deployment.js';
import { AgentClient } from './support/direct-calls.js';
import { spawnTwoNodes } from './support/nodes.js';
import { journalOf } from './support/recorded.js';
import { playing } from './support/script.js';

const AGENT = 'studio';

describe('a turn that answers with a message, at two nodes', () => {
  let deployed: Deployment;
  let nodes: readonly [SpawnedService, SpawnedService];
  let token: string;
  let count = 0;

  beforeAll(async () => {
    deployed = await deployment({ [AGENT]: [scripted('play')] });
    nodes = await spawnTwoNodes(deployed);
    token = await nodes[0].token({ principal: 'alice', scopes: [] });
  }, PROCESS_TEST_TIMEOUT);

  afterAll(async () => {
    await Promise.all(nodes.map(async (node) => node.stop()));
    await rm(deployed.folder, { recursive: true, force: true });
  });

  const at = (node: number) => new AgentClient(nodes[node] as SpawnedService, AGENT, token);
  const file = (name: string) => join(deployed.folder, `${name}-${String(count++)}`);
  const isFound = async (node: number, id: string): Promise<boolean> =>
    (await at(node).ask('GetTask', { id })).error === undefined;
  const listed = async (node: number): Promise<readonly string[]> => {
    const { result } = await at(node).ask('ListTasks', {});
    return (result?.['tasks'] as readonly { readonly id: string }[]).map(({ id }) => id);
  };

  /** Its handler runs on the first node, and is silent until it is let go. */
  async function begun(): Promise<{ params: JsonObject; end(): Promise<Reply> }> {
    const [journal, gate] = [file('journal'), file('gate')];
    const params = playing([{ until: gate }, { answer: 'hello' }], { journal });
    const sent = at(0).ask('SendMessage', params);
    await eventually(() => journalOf(journal).length === 1);
    return {
      params,
      end: async () => {
        await writeFile(gate, '');
        return sent;
      },
    };
  }

  it.each([0, 1])('is a task for all once its message was sent again to node %i', async (node) => {
    const { params, end } = await begun();
    const hasty = { ...params, configuration: { returnImmediately: true } };
    const again = await at(node).ask('SendMessage', hasty);
    const id = taskIdOf(again);
    expect(again.result).toMatchObject({ task: { status: { state: 'TASK_STATE_SUBMITTED' } } });
    const first = await end();
    expect(first.result).toMatchObject({
      task: {
        id,
        status: { state: 'TASK_STATE_COMPLETED', message: { parts: [{ text: 'hello' }] } },
      },
    });
    for (const each of [0, 1]) {
      expect(await isFound(each, id)).toBe(true);
      expect(await listed(each)).toContain(id);
    }
  });

  it.each([0, 1])('is a task for all once node %i has listed it', async (node) => {
    const before = new Set(await listed(node));
    const { end } = await begun();
    const [id = ''] = (await listed(node)).filter((each) => !before.has(each));
    expect(await isFound(1 - node, id)).toBe(true);
    expect(taskIdOf(await end())).toBe(id);
    expect(await isFound(node, id)).toBe(true);
  });

  it('is a message for all who wait for it, wherever, and no task for anybody', async () => {
    const before = await listed(0);
    const { params, end } = await begun();
    const waiting = [0, 1].map(async (node) => at(node).ask('SendMessage', params));
    const first = await end();
    expect(first.result).toMatchObject({ message: { parts: [{ text: 'hello' }] } });
    for (const { result } of await Promise.all(waiting)) expect(result).toEqual(first.result);
    expect((await listed(0)).length).toBe(before.length);
  });

  it('gives a stream that was cut and sent again no task and then a message', async () => {
    const { params, end } = await begun();
    const again = at(1).ask('SendStreamingMessage', params);
    await eventually(async () => (await listed(1)).length > 0);
    await end();
    const kinds = ((await again).events ?? []).map(({ response }) => Object.keys(response).join());
    expect(kinds[0]).toBe('task');
    expect(kinds.at(-1)).toBe('statusUpdate');
  });
});
