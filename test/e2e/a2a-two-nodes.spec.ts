import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../src/kernel/json.js';
import { BINDINGS, jsonRpc, taskIdOf, type Reply } from '../a2a/transports/support/bindings.js';
import { PROCESS_TEST_TIMEOUT } from '../contracts/support/effort.js';
import { eventually } from '../support/eventually.js';
import { spawnTestService, type SpawnedService } from '../support/service.js';
import { deployment, scripted } from './support/deployment.js';
import { journalOf } from './support/recorded.js';
import { playing } from './support/script.js';

const AGENT = 'shared';

type Events = NonNullable<Reply['events']>;

describe('two nodes over one task store', () => {
  let folder: string;
  let first: SpawnedService;
  let second: SpawnedService;
  let token: string;
  let count = 0;

  const agentOf = (node: SpawnedService) => `${node.url}/a2a/${AGENT}`;
  const file = (name: string) => join(folder, `${name}-${String(count++)}`);

  beforeAll(async () => {
    const deployed = await deployment({ [AGENT]: [scripted('play')] });
    ({ folder } = deployed);
    const node = (name: string) => ({
      folder,
      env: {
        ...deployed.env,
        NODE_ID: name,
        READ_MODEL: `sqlite:${join(folder, `${name}-read.db`)}`,
        TASK_READ_MODEL: `sqlite:${join(folder, `${name}-tasks-read.db`)}`,
        LOG_TREE: `sqlite:${join(folder, `${name}-log-tree.db`)}`,
        LOG_CHECKPOINT_FILE: join(folder, `${name}-log-checkpoint`),
      },
    });
    // The first makes the keys that both use.
    first = await spawnTestService(node('node-a'));
    second = await spawnTestService(node('node-b'));
    token = await first.token({ principal: 'alice', scopes: [] });
  }, PROCESS_TEST_TIMEOUT);

  afterAll(async () => {
    await Promise.all([first.stop(), second.stop()]);
    await rm(folder, { recursive: true, force: true });
  });

  /** A task in whose middle the handler waits for a file. */
  async function begin(gate: string, journal: string): Promise<string> {
    const steps = ['working', { say: '1' }, { say: '2' }, { until: gate }, { say: '3' }] as const;
    const params = playing([...steps, { say: '4' }, 'completed'], { journal });
    const configuration = { returnImmediately: true };
    const reply = await jsonRpc.call(
      agentOf(first),
      'SendMessage',
      { ...params, configuration },
      { token },
    );
    return taskIdOf(reply);
  }

  const subscribe = (node: SpawnedService, id: string, binding = jsonRpc, more = {}) =>
    binding.call(agentOf(node), 'SubscribeToTask', { id }, { token, ...more });

  const said = (events: Events | undefined) =>
    (events ?? []).map(({ response }) => wordOf(response));

  it.each(BINDINGS)(
    'show what a handler of the other does, each event once, wherever a stream is cut ($name)',
    async (binding) => {
      const gate = file('gate');
      const id = await begin(gate, file('journal'));
      await eventually(() => has(binding, id, '2'));
      // From the very beginning, by the id of the event before all others that are shown.
      const from = { headers: { 'last-event-id': '0' } };
      const whole = subscribe(second, id, binding, from);
      await writeFile(gate, '');
      const { events = [] } = await whole;
      expect(said(events)).toEqual(['WORKING', '1', '2', '3', '4', 'COMPLETED']);
      expect(new Set(events.map((event) => event.id)).size).toBe(events.length);
      for (let k = 1; k <= events.length; k++) {
        const [before, after] = k % 2 === 0 ? [first, second] : [second, first];
        const head = (await subscribe(before, id, binding, { ...from, take: k })).events ?? [];
        const headers = { 'last-event-id': head.at(-1)?.id ?? '' };
        const tail = (await subscribe(after, id, binding, { headers })).events ?? [];
        expect([...head, ...tail]).toEqual(events);
      }
    },
  );

  it.each(BINDINGS)('go on live on the other node after a cut ($name)', async (binding) => {
    const gate = file('gate');
    const id = await begin(gate, file('journal'));
    await eventually(() => has(binding, id, '2'));
    const { events: seen = [] } = await subscribe(second, id, binding, { take: 1 });
    expect(seen[0]?.response).toMatchObject({ task: { status: { state: 'TASK_STATE_WORKING' } } });
    const headers = { 'last-event-id': seen[0]?.id ?? '' };
    const rest = [
      subscribe(first, id, binding, { headers }),
      subscribe(second, id, binding, { headers }),
    ];
    await writeFile(gate, '');
    for (const { events } of await Promise.all(rest)) {
      expect(said(events)).toEqual(['3', '4', 'COMPLETED']);
    }
  });

  it.each(BINDINGS)(
    'go on with a stream that was cut, when the message is sent again to the other ($name)',
    async (binding) => {
      const [gate, journal] = [file('gate'), file('journal')];
      const steps = ['working', { say: '1' }, { until: gate }, { say: '2' }, 'completed'] as const;
      const params = playing(steps, { journal });
      const send = (node: SpawnedService, more = {}) =>
        binding.call(agentOf(node), 'SendStreamingMessage', params, { token, ...more });
      const head = (await send(first, { take: 3 })).events ?? [];
      expect(said(head)).toEqual(['SUBMITTED', 'WORKING', '1']);
      const headers = { 'last-event-id': head.at(-1)?.id ?? '' };
      const live = send(second, { headers });
      await writeFile(gate, '');
      expect(said((await live).events)).toEqual(['2', 'COMPLETED']);
      for (const [k, { id }] of head.entries()) {
        const tail = (await send(second, { headers: { 'last-event-id': id } })).events;
        const all = ['SUBMITTED', 'WORKING', '1', '2', 'COMPLETED'];
        expect(said(tail)).toEqual(all.slice(k + 1));
      }
      expect(journalOf(journal)).toHaveLength(2);
    },
  );

  it('stop a handler of the other by a cancel', async () => {
    const journal = file('journal');
    const id = await begin(file('never'), journal);
    await eventually(() => journalOf(journal).length === 1);
    await eventually(() => has(jsonRpc, id, '2'));
    // A task that has ended is no longer followed: the stream has to be there before.
    let isFollowed = false;
    const onEvent = (): void => {
      isFollowed = true;
    };
    const live = subscribe(first, id, jsonRpc, { onEvent });
    await eventually(() => isFollowed);
    const canceled = await jsonRpc.call(agentOf(second), 'CancelTask', { id }, { token });
    expect(canceled.result).toMatchObject({ status: { state: 'TASK_STATE_CANCELED' } });
    await eventually(() => journalOf(journal).length === 2);
    expect(journalOf(journal)[1]).toMatch(/^stopped /);
    expect(said((await live).events).at(-1)).toBe('CANCELED');
    const { result } = await jsonRpc.call(agentOf(first), 'GetTask', { id }, { token });
    expect(result).toMatchObject({ status: { state: 'TASK_STATE_CANCELED' } });
  });

  it('run a message that comes to both of them at once one time', async () => {
    const journal = file('journal');
    const params = playing([{ wait: 50 }, 'completed'], { journal });
    const sent = Array.from({ length: 10 }, (_, index) =>
      jsonRpc.call(agentOf(index % 2 === 0 ? first : second), 'SendMessage', params, { token }),
    );
    const ids = new Set((await Promise.all(sent)).map(taskIdOf));
    expect(ids.size).toBe(1);
    expect(journalOf(journal)).toHaveLength(2);
  });

  /** Whether an artifact is there, as the second node sees it. */
  async function has(
    binding: (typeof BINDINGS)[number],
    id: string,
    artifactId: string,
  ): Promise<boolean> {
    const { result } = await binding.call(agentOf(second), 'GetTask', { id }, { token });
    const artifacts = (result?.['artifacts'] ?? []) as readonly JsonObject[];
    return artifacts.some((artifact) => artifact['artifactId'] === artifactId);
  }
});

/** An event in a word: the state, or the text of the artifact. */
function wordOf(response: JsonObject): string {
  const [told] = Object.values(response) as JsonObject[];
  const artifact = told?.['artifact'] as JsonObject | undefined;
  if (artifact !== undefined) return String(artifact['artifactId']);
  const status = told?.['status'] as JsonObject | undefined;
  return String(status?.['state']).replace('TASK_STATE_', '');
}
