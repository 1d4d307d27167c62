import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../src/kernel/json.js';
import { BINDINGS, taskIdOf, type Reply } from '../a2a/transports/support/bindings.js';
import { PROCESS_TEST_TIMEOUT } from '../contracts/support/effort.js';
import type { SampleBackend } from '../invocations/backends/support/sample-backend.js';
import { eventually } from '../support/eventually.js';
import type { SpawnedService } from '../support/service.js';
import type { Deployment } from './support/deployment.js';
import { AgentClient, outcomeOf } from './support/direct-calls.js';
import { FINANCE, financeDeployment, ledgerSkill, SCOPE, startBackend } from './support/finance.js';
import { spawnTwoNodes } from './support/nodes.js';
import { recordedIn } from './support/recorded.js';

const INVOICE = { invoice: 'INV-1' };
const CONFLICT = 'IDEMPOTENCY_CONFLICT message-id-reused';
/** The handler's time, what a node gets to end it, and looks for what is lost. */
const GIVEN_UP_WITHIN_MS = 40_000;
const ROUNDS = 5;
const AT_ONCE = 8;

interface InvokeMore {
  readonly skillId?: string;
  readonly configuration?: JsonObject;
}

describe('message ids and idempotency keys at two nodes', () => {
  let deployed: Deployment;
  let backend: SampleBackend;
  let nodes: readonly [SpawnedService, SpawnedService];
  let count = 0;

  beforeAll(async () => {
    backend = await startBackend(() => nodes[0]);
    const mortal = ledgerSkill('mortal', { limits: { max_execution_seconds: 3 } });
    deployed = await financeDeployment(backend, [ledgerSkill('lookup'), mortal]);
    nodes = await spawnTwoNodes(deployed);
  }, PROCESS_TEST_TIMEOUT);

  afterAll(async () => {
    await Promise.all(nodes.map(async (node) => node.stop()));
    await backend.stop();
    await rm(deployed.folder, { recursive: true, force: true });
  });

  const fresh = (name: string) => `${name}-${String(count++)}`;

  /** Somebody who has no tasks yet. */
  async function newcomer(): Promise<AgentClient> {
    const token = await nodes[0].token({ principal: fresh('caller'), scopes: [SCOPE] });
    return new AgentClient(nodes[0], FINANCE, token);
  }

  function invoke(
    client: AgentClient,
    messageId: string,
    idempotencyKey: string,
    { skillId = 'lookup', configuration = {} }: InvokeMore = {},
  ): Promise<Reply> {
    const more = { message: { messageId }, payload: { idempotencyKey }, configuration };
    return client.invoke(skillId, INVOICE, more);
  }

  const runsFor = ({ principal }: AgentClient) =>
    backend.received.filter(({ claims }) => claims.sub === principal).length;

  async function tasksOf(client: AgentClient): Promise<readonly string[]> {
    const { result } = await client.ask('ListTasks', {});
    return (result?.['tasks'] as readonly { readonly id: string }[]).map(({ id }) => id);
  }

  /** Calls that come at once, to one node and the other, over one binding and the other. */
  function scattered(
    client: AgentClient,
    call: (client: AgentClient, index: number) => Promise<Reply>,
  ): Promise<Reply[]> {
    return Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => {
        const node = nodes[index % 2] ?? nodes[0];
        const binding = BINDINGS[(index >> 1) % 2] ?? client.binding;
        return call(client.at(node).over(binding), index);
      }),
    );
  }

  it(
    'let one message id run once, under one of the keys that come with it at once',
    async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const client = await newcomer();
        const messageId = fresh('message');
        const replies = await scattered(client, async (each) =>
          invoke(each, messageId, fresh('key')),
        );
        const outcomes = replies.map(outcomeOf).sort();
        expect(outcomes).toEqual(['COMPLETED', ...Array(AT_ONCE - 1).fill(CONFLICT)]);
        expect(runsFor(client)).toBe(1);
      }
    },
    PROCESS_TEST_TIMEOUT,
  );

  it(
    'let one key be one task, under whichever of the message ids that come with it at once',
    async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const client = await newcomer();
        const key = fresh('key');
        const ids = Array.from({ length: AT_ONCE }, () => fresh('message'));
        const replies = await scattered(client, async (each, index) =>
          invoke(each, ids[index] ?? '', key),
        );
        expect(new Set(replies.map(outcomeOf))).toEqual(new Set(['COMPLETED']));
        const [taskId = '', ...others] = new Set(replies.map(taskIdOf));
        expect(others).toEqual([]);
        expect(runsFor(client)).toBe(1);
        for (const node of nodes) {
          const there = client.at(node);
          expect(await tasksOf(there)).toEqual([taskId]);
          for (const id of ids) expect(taskIdOf(await invoke(there, id, key))).toBe(taskId);
        }
      }
    },
    PROCESS_TEST_TIMEOUT,
  );

  it(
    'hold when the node that runs the call is killed',
    async () => {
      const [first, second] = nodes;
      const client = await newcomer();
      const [messageId, key] = [fresh('message'), fresh('key')];
      backend.delay = async () => new Promise(() => undefined);
      const skill = { skillId: 'mortal' };
      const lost = invoke(client, messageId, key, skill).catch(() => undefined);
      await eventually(() => runsFor(client) === 1);
      await first.kill();
      await lost;
      backend.delay = async () => Promise.resolve();

      const survivor = client.at(second);
      const atOnce = { ...skill, configuration: { returnImmediately: true } };
      const id = taskIdOf(await invoke(survivor, messageId, key, atOnce));
      expect(taskIdOf(await invoke(survivor, fresh('message'), key, atOnce))).toBe(id);
      expect(outcomeOf(await invoke(survivor, messageId, fresh('key'), skill))).toBe(CONFLICT);
      await first.start();
      await eventually(async () => (await client.stateOf(id)) === 'FAILED', GIVEN_UP_WITHIN_MS);
      for (const node of nodes) {
        const there = client.at(node);
        expect(outcomeOf(await invoke(there, messageId, fresh('key'), skill))).toBe(CONFLICT);
        const again = await invoke(there, fresh('message'), key, skill);
        expect(outcomeOf(again)).toBe('BACKEND_UNAVAILABLE interrupted');
      }
      expect(runsFor(client)).toBe(1);
    },
    PROCESS_TEST_TIMEOUT,
  );

  it('left in the log one admission for every task that ran', async () => {
    const admitted = (await recordedIn(deployed.folder, 'events.db')).filter(
      ({ type }) => type === 'invocation-admitted',
    );
    expect(admitted).toHaveLength(2 * ROUNDS + 1);
    expect(new Set(admitted.map(({ data }) => data['taskId'])).size).toBe(admitted.length);
  });
});
