import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { TaskOwner } from '../../../../src/a2a/tasks/domain/task.js';
import type { Uuid } from '../../../../src/kernel/ids.js';
import { eventually } from '../../../support/eventually.js';
import { MemoryLedger } from '../../support/memory-ledger.js';
import { ANNA, COMPLETED, newTask, routed, SECRET } from '../support/fixtures.js';
import { TaskDeployment, type TaskNode } from '../support/task-node.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const STRANGER: TaskOwner = {
  kind: 'principal',
  tenant: 'globex',
  principal: 'anna',
  agent: null,
};

let deployment: TaskDeployment;
let node: TaskNode;
const receivers: WebhookReceiver[] = [];

beforeEach(async () => {
  deployment = await TaskDeployment.open();
  const timing = { pollMs: 10, firstRetryMs: 20, longestRetryMs: 60 };
  node = await deployment.node('node-a', { timing });
  node.start(new MemoryLedger());
});

afterEach(async () => {
  await deployment.dispose();
  for (const receiver of receivers.splice(0)) await receiver.close();
});

async function receive(
  ...parameters: Parameters<typeof WebhookReceiver.open>
): Promise<WebhookReceiver> {
  const receiver = await WebhookReceiver.open(...parameters);
  receivers.push(receiver);
  return receiver;
}

/** A task of this owner that has ended, of which its webhook is to be told. */
async function endTask(owner: TaskOwner, url: string): Promise<void> {
  const [id, invocationId] = [randomUUID() as Uuid, randomUUID() as Uuid];
  const changes = [routed(invocationId)];
  await node.tasks.submit(id, newTask({ owner, changes, pushConfig: { url } }));
  await node.tasks.record(id, invocationId, [COMPLETED]);
}

async function endTasks(owner: TaskOwner, urls: readonly string[]): Promise<void> {
  await Promise.all(urls.map(async (url) => endTask(owner, url)));
}

function toldOn(receiver: WebhookReceiver, path: string): number {
  return receiver.received.filter((each) => each.path === path).length;
}

describe("one tenant's webhooks", () => {
  it.each([
    ['another tenant', ANNA, STRANGER],
    ['who comes without a token', ANNA, SECRET],
    ['a tenant, when they are of who comes without a token', SECRET, ANNA],
  ])('that fail at an origin do not silence those there of %s', async (_, bad, good) => {
    const receiver = await receive(({ path }) => (path === '/bad' ? 503 : 200));
    await endTasks(bad, Array<string>(10).fill(receiver.url('/bad')));
    await eventually(() => toldOn(receiver, '/bad') >= 5);
    await endTask(good, receiver.url('/good'));
    await eventually(() => toldOn(receiver, '/good') === 1);
  });

  it('that are silent at many origins leave room for others', async () => {
    const silent = await Promise.all(
      Array.from({ length: 20 }, async () => receive(() => 'never')),
    );
    const good = await receive();
    await endTasks(
      ANNA,
      silent.flatMap((each) => Array<string>(4).fill(each.url())),
    );
    const underWay = () => silent.reduce((sum, each) => sum + each.received.length, 0);
    await eventually(() => underWay() >= 16);
    await endTask(STRANGER, good.url());
    await eventually(() => good.received.length === 1, 3000);
    expect(underWay()).toBe(16);
  });

  it('that hold all they may of an origin leave room there for others', async () => {
    const receiver = await receive(({ path }) => (path === '/silent' ? 'never' : 200));
    await endTasks(ANNA, Array<string>(8).fill(receiver.url('/silent')));
    await eventually(() => toldOn(receiver, '/silent') === 4);
    await endTask(STRANGER, receiver.url('/good'));
    await eventually(() => toldOn(receiver, '/good') === 1, 3000);
  });
});

it('an origin gets at most 16 posts at once, however many tenants send it some', async () => {
  const silent = await receive(() => 'never');
  const good = await receive();
  const tenants = Array.from({ length: 6 }, (_, index) => `tenant-${String(index)}`);
  for (const tenant of tenants) {
    await endTasks({ ...STRANGER, tenant }, Array<string>(4).fill(silent.url()));
  }
  await eventually(() => silent.received.length === 16);
  await endTasks(STRANGER, [silent.url(), good.url()]);
  await eventually(() => good.received.length === 1, 3000);
  expect(silent.received).toHaveLength(16);
});
