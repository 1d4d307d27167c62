import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PushConfigs } from '../../../../src/a2a/tasks/port.js';
import type { TaskPushNotificationConfig } from '../../../../src/a2a/wire/types.js';
import type { Uuid } from '../../../../src/kernel/ids.js';
import { ANNA, COMPLETED, HOSTED, newTask, routed } from '../support/fixtures.js';
import { TaskDeployment, type TaskNode } from '../support/task-node.js';

const URL = 'http://127.0.0.1:9999/hook';

let deployment: TaskDeployment;
let node: TaskNode;
let configs: PushConfigs;
let id: Uuid;

beforeEach(async () => {
  deployment = await TaskDeployment.open();
  node = await deployment.node();
  configs = node.pushConfigs;
  id = randomUUID() as Uuid;
  await node.tasks.submit(id, newTask());
});

afterEach(async () => {
  await deployment.dispose();
});

async function set(config: TaskPushNotificationConfig) {
  return configs.set(ANNA, HOSTED, id, config);
}

async function idsOf(page = {}): Promise<readonly (string | undefined)[]> {
  const listed = await configs.list(ANNA, HOSTED, id, page);
  return listed.ok ? listed.value.configs.map((config) => config.id) : [listed.error.code];
}

it('is shown to its owner as it was set, with an id', async () => {
  const config = {
    url: URL,
    token: 't',
    authentication: { scheme: 'Bearer', credentials: 'c' },
  };
  const made = await set({ ...config, taskId: 'another' });
  expect(made).toMatchObject({ ok: true, value: { ...config, taskId: id } });
  const configId = made.ok ? (made.value.id ?? '') : '';
  expect(await configs.get(ANNA, HOSTED, id, configId)).toEqual(made);
  expect(await idsOf()).toEqual([configId]);
});

it('stores nothing of a request that it does not know', async () => {
  await set({ id: 'hook', url: URL, extra: 1, authentication: { scheme: 'A', more: 2 } } as never);
  const events = await node.store.readStream(`task-${id}`);
  expect(events.at(-1)?.data).toEqual({
    config: { id: 'hook', url: URL, authentication: { scheme: 'A' } },
  });
});

it('is replaced under its id, deleted once, and gone then', async () => {
  await set({ id: 'hook', url: URL });
  await set({ id: 'hook', url: `${URL}/2` });
  expect(await configs.get(ANNA, HOSTED, id, 'hook')).toMatchObject({
    value: { url: `${URL}/2` },
  });
  for (let times = 0; times < 2; times++) {
    expect((await configs.delete(ANNA, HOSTED, id, 'hook')).ok).toBe(true);
  }
  expect(await configs.get(ANNA, HOSTED, id, 'hook')).toMatchObject({
    error: { error: 'TaskNotFound' },
  });
  expect(await idsOf()).toEqual([]);
});

it('can be set on a task that has ended', async () => {
  const invocationId = randomUUID() as Uuid;
  const ended = randomUUID() as Uuid;
  await node.tasks.submit(ended, newTask({ changes: [routed(invocationId), COMPLETED] }));
  expect((await configs.set(ANNA, HOSTED, ended, { url: URL })).ok).toBe(true);
});

it('comes with a message as well', async () => {
  const other = randomUUID() as Uuid;
  await node.tasks.submit(other, newTask({ pushConfig: { id: 'hook', url: URL } }));
  expect((await configs.get(ANNA, HOSTED, other, 'hook')).ok).toBe(true);
});

it('there are at most 16 of them, also when many are set at once', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => set({ id: `hook-${String(index)}`, url: URL })),
  );
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(16);
  expect(outcomes.find(({ ok }) => !ok)).toMatchObject({
    error: { error: 'InvalidParams', code: 'too-many-push-configs' },
  });
  const [known = ''] = await idsOf();
  expect((await set({ id: known, url: `${URL}/other` })).ok).toBe(true);
});

it('are listed in pages', async () => {
  for (const name of ['c', 'a', 'b']) await set({ id: name, url: URL });
  expect(await idsOf()).toEqual(['a', 'b', 'c']);
  const first = await configs.list(ANNA, HOSTED, id, { pageSize: 2 });
  const { configs: found, nextPageToken } = first.ok
    ? first.value
    : { configs: [], nextPageToken: '' };
  expect(found.map((config) => config.id)).toEqual(['a', 'b']);
  await configs.delete(ANNA, HOSTED, id, 'b');
  expect(await idsOf({ pageToken: nextPageToken })).toEqual(['c']);
  expect(await idsOf({ pageToken: 'nonsense' })).toEqual(['page-token-invalid']);
});

describe('what is refused', () => {
  it.each<[string, string, Partial<TaskPushNotificationConfig>]>([
    ['/url', 'webhook-url-invalid', { url: '' }],
    ['/url', 'webhook-url-invalid', { url: 'https://user@127.0.0.1/' }],
    ['/url', 'webhook-address-refused', { url: 'https://10.0.0.1/' }],
  ])('%s: %s', async (pointer, code, wrong) => {
    const refusal = { error: 'InvalidParams', code, faults: [{ pointer }] };
    const config = { url: URL, ...wrong };
    expect(await set(config)).toMatchObject({ error: refusal });
    expect(await configs.check(config)).toMatchObject(refusal);
    expect(await idsOf()).toEqual([]);
  });
});
