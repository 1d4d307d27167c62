import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { TaskPushNotificationConfig } from '../../../../src/a2a/wire/types.js';
import type { RetryTiming } from '../../../../src/a2a/tasks/webhooks/retry-timing.js';
import type { Uuid } from '../../../../src/kernel/ids.js';
import { aMoment, eventually } from '../../../support/eventually.js';
import { MemoryLedger } from '../../support/memory-ledger.js';
import {
  ANNA,
  artifact,
  ASKED,
  COMPLETED,
  HOSTED,
  message,
  newTask,
  routed,
  WORKING,
} from '../support/fixtures.js';
import { DAY, TaskDeployment, type NodeOptions, type TaskNode } from '../support/task-node.js';
import { kindOf, WebhookReceiver } from '../support/webhook-receiver.js';

const QUICK: Partial<RetryTiming> = {
  pollMs: 10,
  foreignLeasePollMs: 20,
  firstRetryMs: 20,
  longestRetryMs: 60,
};

let deployment: TaskDeployment;
const receivers: WebhookReceiver[] = [];

beforeEach(async () => {
  deployment = await TaskDeployment.open();
});

afterEach(async () => {
  await deployment.dispose();
  for (const receiver of receivers.splice(0)) await receiver.close();
});

async function startNode(name = 'node-a', options: NodeOptions = {}): Promise<TaskNode> {
  const node = await deployment.node(name, { timing: QUICK, ...options });
  node.start(new MemoryLedger());
  return node;
}

async function receive(
  ...parameters: Parameters<typeof WebhookReceiver.open>
): Promise<WebhookReceiver> {
  const receiver = await WebhookReceiver.open(...parameters);
  receivers.push(receiver);
  return receiver;
}

async function begin(
  node: TaskNode,
  pushConfig?: TaskPushNotificationConfig,
): Promise<{ id: Uuid; invocationId: Uuid }> {
  const [id, invocationId] = [randomUUID() as Uuid, randomUUID() as Uuid];
  const task = newTask({ changes: [routed(invocationId)] });
  await node.tasks.submit(id, pushConfig === undefined ? task : { ...task, pushConfig });
  return { id, invocationId };
}

describe('a webhook', () => {
  it('is told every event after the one that set it, in order, once, under ids of their own', async () => {
    const node = await startNode();
    const receiver = await receive();
    const { id, invocationId } = await begin(node, { url: receiver.url('/first') });
    await node.tasks.record(id, invocationId, [WORKING, artifact('a', '1')]);
    await node.pushConfigs.set(ANNA, HOSTED, id, { id: 'late', url: receiver.url('/late') });
    await node.tasks.record(id, invocationId, [artifact('b', '2'), ASKED]);
    const next = randomUUID() as Uuid;
    const { revision = -1 } = (await node.tasks.load(id)) ?? {};
    const turn = { message: message(), digest: 'd', changes: [routed(next)] };
    await node.tasks.continue(id, revision, turn);
    await node.tasks.record(id, next, [COMPLETED]);

    const told = (path: string) => receiver.received.filter((each) => each.path === path);
    await eventually(() => told('/first').length >= 6 && told('/late').length >= 4);
    await aMoment();
    const late = [
      'artifactUpdate b',
      'statusUpdate INPUT_REQUIRED',
      'task SUBMITTED',
      'statusUpdate COMPLETED',
    ];
    expect(told('/late').map(kindOf)).toEqual(late);
    expect(told('/first').map(kindOf)).toEqual([
      'statusUpdate WORKING',
      'artifactUpdate a',
      ...late,
    ]);
    const ids = receiver.received.map(({ headers }) => headers['x-countersign-delivery']);
    expect(new Set(ids).size).toBe(10);
    expect(node.reports).toEqual([]);
  });

  it('is told of a task that was over before it was looked at, and of a message', async () => {
    const node = await deployment.node('node-a', { timing: QUICK });
    const receiver = await receive();
    const { id, invocationId } = await begin(node, { url: receiver.url() });
    await node.tasks.record(id, invocationId, [{ kind: 'answer', parts: [{ text: '42' }] }]);
    node.start(new MemoryLedger());
    await eventually(() => receiver.received.length > 0);
    expect(receiver.received.map(kindOf)).toEqual(['message ']);
  });

  it('that fails is tried again with what comes next behind it, until it takes it', async () => {
    const node = await startNode();
    const receiver = await receive((_, count) => (count <= 3 ? 503 : 200));
    const { id, invocationId } = await begin(node, { url: receiver.url() });
    await node.tasks.record(id, invocationId, [WORKING]);
    await node.tasks.record(id, invocationId, [COMPLETED]);
    await eventually(() => receiver.received.length >= 5);
    expect(receiver.received.map(kindOf)).toEqual([
      ...Array.from({ length: 4 }, () => 'statusUpdate WORKING'),
      'statusUpdate COMPLETED',
    ]);
    const ids = receiver.received.map(({ headers }) => headers['x-countersign-delivery']);
    expect(new Set(ids).size).toBe(2);
  });

  it('that never takes it is given up, event by event, with a word why', async () => {
    const node = await startNode('node-a', {
      timing: { ...QUICK, firstRetryMs: 1, longestRetryMs: 2, maxAttempts: 3 },
    });
    const receiver = await receive(() => 500);
    const { id, invocationId } = await begin(node, { id: 'hook', url: receiver.url() });
    await node.tasks.record(id, invocationId, [COMPLETED]);
    await eventually(async () => (await node.store.readStream(`webhooks-${id}`)).length === 1);
    await aMoment();
    expect(receiver.received).toHaveLength(3);
    const [abandoned] = await node.store.readStream(`webhooks-${id}`);
    expect(abandoned).toMatchObject({
      type: 'notification-abandoned',
      data: { configId: 'hook', revision: 3, reason: 'status 500' },
    });
  });

  it('that refuses an event is not asked again about it', async () => {
    const node = await startNode();
    const receiver = await receive((_, count) => (count === 1 ? 400 : 200));
    const { id, invocationId } = await begin(node, { url: receiver.url() });
    await node.tasks.record(id, invocationId, [WORKING, COMPLETED]);
    await eventually(() => receiver.received.length >= 2);
    await aMoment();
    expect(receiver.received.map(kindOf)).toEqual([
      'statusUpdate WORKING',
      'statusUpdate COMPLETED',
    ]);
  });

  it('is told nothing more once it is deleted', async () => {
    const node = await startNode();
    const receiver = await receive();
    const { id, invocationId } = await begin(node, { id: 'hook', url: receiver.url() });
    await node.tasks.record(id, invocationId, [WORKING]);
    await eventually(() => receiver.received.length === 1);
    await node.pushConfigs.delete(ANNA, HOSTED, id, 'hook');
    await node.tasks.record(id, invocationId, [COMPLETED]);
    await aMoment(200);
    expect(receiver.received).toHaveLength(1);
  });

  it('leaves nothing behind when the retention of its task is over', async () => {
    let now = Date.now();
    const node = await startNode('node-a', { clock: () => now });
    const receiver = await receive();
    const { id, invocationId } = await begin(node, { url: receiver.url() });
    await node.tasks.record(id, invocationId, [WORKING, COMPLETED]);
    await eventually(async () => (await node.store.readStream(`webhooks-${id}`)).length === 2);
    now += DAY;
    await node.projections.waitFor(await node.store.head(), 5000);
    await node.sweeper.sweep(new AbortController().signal);
    expect(await node.store.readStream(`task-${id}`)).toEqual([]);
    expect(await node.store.readStream(`webhooks-${id}`)).toEqual([]);
  });

  it('whose name has come to lead inside is not connected to', async () => {
    let addresses = ['8.8.8.8'];
    const node = await startNode('node-a', {
      resolve: () => Promise.resolve(addresses),
      config: { allowLoopbackWebhooks: false },
      timing: { ...QUICK, maxAttempts: 1 },
    });
    const receiver = await receive();
    const url = `https://hook.example:${String(receiver.port)}/`;
    const { id, invocationId } = await begin(node);
    expect((await node.pushConfigs.set(ANNA, HOSTED, id, { id: 'hook', url })).ok).toBe(true);
    addresses = ['127.0.0.1'];
    await node.tasks.record(id, invocationId, [COMPLETED]);
    await eventually(async () => (await node.store.readStream(`webhooks-${id}`)).length === 1);
    expect(await node.store.readStream(`webhooks-${id}`)).toMatchObject([
      { type: 'notification-abandoned', data: { reason: 'webhook-address-refused' } },
    ]);
    expect(receiver.received).toEqual([]);
  });
});

describe('several of them', () => {
  it('are told side by side: a target that is silent holds up no other', async () => {
    const node = await startNode();
    const silent = await receive(() => 'never');
    const good = await receive();
    const begun = await Promise.all(
      Array.from({ length: 20 }, async (_, index) =>
        begin(node, { url: (index % 2 ? silent : good).url() }),
      ),
    );
    await Promise.all(
      begun.map(async ({ id, invocationId }) => node.tasks.record(id, invocationId, [COMPLETED])),
    );
    await eventually(() => good.received.length === 10);
    expect(good.most).toBeLessThanOrEqual(4);
    expect(silent.received.length).toBeLessThanOrEqual(4);
  });

  it('of a target that fails and fails are left alone for a while', async () => {
    const node = await startNode();
    const receiver = await receive(() => 503);
    const begun = await Promise.all(
      Array.from({ length: 30 }, async () => begin(node, { url: receiver.url() })),
    );
    await Promise.all(
      begun.map(async ({ id, invocationId }) => node.tasks.record(id, invocationId, [COMPLETED])),
    );
    await eventually(() => receiver.received.length >= 5);
    await aMoment(300);
    // Five failures, and the posts that were under way meanwhile.
    expect(receiver.received.length).toBeLessThanOrEqual(8);
  });
});

describe('a restart', () => {
  it('goes on where the last one stopped, also with a read database that was deleted', async () => {
    const receiver = await receive((_, count) => (count === 3 ? 'never' : 200));
    const node = await startNode();
    const { id, invocationId } = await begin(node, { url: receiver.url() });
    await node.tasks.record(id, invocationId, [WORKING, artifact('a', '1'), artifact('b', '2')]);
    await node.tasks.record(id, invocationId, [COMPLETED]);
    await eventually(() => receiver.received.length === 3);
    await node.close();

    await startNode('node-b');
    await eventually(() => receiver.received.length >= 5);
    await aMoment();
    expect(receiver.received.map(kindOf)).toEqual([
      'statusUpdate WORKING',
      'artifactUpdate a',
      // Nobody knows whether it had arrived: it comes again, under the same id.
      'artifactUpdate b',
      'artifactUpdate b',
      'statusUpdate COMPLETED',
    ]);
    const ids = receiver.received.map(({ headers }) => headers['x-countersign-delivery']);
    expect(ids[2]).toBe(ids[3]);
  });

  it('and two nodes at once tell everything once', async () => {
    const receiver = await receive();
    const [node, other] = [await startNode('node-a'), await startNode('node-b')];
    const begun = await Promise.all(
      Array.from({ length: 20 }, async (_, index) =>
        begin(index % 2 ? node : other, { url: receiver.url() }),
      ),
    );
    await Promise.all(
      begun.map(async ({ id, invocationId }) =>
        other.tasks.record(id, invocationId, [WORKING, COMPLETED]),
      ),
    );
    await eventually(() => receiver.received.length >= 40);
    await aMoment(200);
    expect(receiver.received).toHaveLength(40);
    expect([...node.reports, ...other.reports]).toEqual([]);
  });
});
