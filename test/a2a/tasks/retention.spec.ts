import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { TaskOwner } from '../../../src/a2a/tasks/domain/task.js';
import type { Uuid } from '../../../src/kernel/ids.js';
import {
  ANNA,
  ASKED,
  COMPLETED,
  HOSTED,
  message,
  newTask,
  routed,
  SECRET,
  text,
  WORKING,
} from './support/fixtures.js';
import { DAY, TaskDeployment, type TaskNode } from './support/task-node.js';

const BEGIN = Date.parse('2030-01-01T00:00:00.000Z');
const FOREVER = new AbortController().signal;

let now = BEGIN;
let deployment: TaskDeployment;
let node: TaskNode;

beforeEach(async () => {
  now = BEGIN;
  deployment = await TaskDeployment.open();
  node = await deployment.node('node-a', { clock: () => now });
});

afterEach(async () => {
  await deployment.dispose();
});

interface Begun {
  readonly id: Uuid;
  readonly invocationId: Uuid;
}

async function begin(messageId: string = randomUUID(), owner: TaskOwner = ANNA): Promise<Begun> {
  const invocationId = randomUUID() as Uuid;
  const sent = message({ messageId, parts: text(`the-word-of-${messageId}`) });
  const task = newTask({ owner, message: sent, changes: [routed(invocationId, now + 60_000)] });
  const id = node.tasks.idFor(owner, HOSTED, messageId);
  await node.tasks.submit(id, task);
  return { id, invocationId };
}

async function ended(messageId?: string, owner?: TaskOwner): Promise<Uuid> {
  const { id, invocationId } = await begin(messageId, owner);
  await node.tasks.record(id, invocationId, [COMPLETED]);
  return id;
}

async function sweep(on = node): Promise<void> {
  const head = await on.store.head();
  expect(await on.projections.waitFor(head, 5000)).toBe(true);
  await on.sweeper.sweep(FOREVER);
}

/** The files that hold a word. */
function filesWith(word: string): string[] {
  return readdirSync(deployment.folder).filter((name) =>
    readFileSync(join(deployment.folder, name)).includes(word),
  );
}

describe('the end of a retention', () => {
  it('deletes a task for good: stream, rows and bytes', async () => {
    const id = await ended('gone');
    const kept = await begin('kept');
    expect(filesWith('the-word-of-gone')).not.toEqual([]);

    now += DAY - 1;
    await sweep();
    expect(await node.tasks.load(id)).toBeDefined();
    now += 1;
    await sweep();

    expect(await node.tasks.load(id)).toBeUndefined();
    expect(await node.tasks.find(ANNA, HOSTED, id)).toMatchObject({ ok: false });
    expect(await node.store.readStream(`task-${id}`)).toEqual([]);
    expect(filesWith('the-word-of-gone')).toEqual([]);
    expect(filesWith('the-word-of-kept')).not.toEqual([]);
    const listed = await node.tasks.list(ANNA, HOSTED, {});
    expect(listed.ok && listed.value.tasks.map((task) => task.id)).toEqual([kept.id]);
    expect(listed.ok && listed.value.totalSize).toBe(1);
    expect((await node.pushConfigs.list(ANNA, HOSTED, id, {})).ok).toBe(false);
  });

  it('comes for turns that ended in a message, and for anonymous tasks', async () => {
    const { id, invocationId } = await begin('answered');
    await node.tasks.record(id, invocationId, [{ kind: 'answer', parts: text('42') }]);
    const anonymous = await ended('anonymous', SECRET);
    now += DAY;
    await sweep();
    expect(await node.tasks.load(id)).toBeUndefined();
    expect(await node.tasks.load(anonymous)).toBeUndefined();
  });

  it('lets the same message start a new task, which is not deleted for its predecessor', async () => {
    const id = await ended('again');
    const other = await deployment.node('node-b', { clock: () => now });
    now += DAY;
    await sweep();
    await other.tasks.load(id);
    const again = await begin('again');
    expect(again.id).toBe(id);
    await sweep();
    await other.sweeper.sweep(FOREVER);
    expect((await node.tasks.load(id))?.task.history).toHaveLength(1);
    expect((await other.tasks.load(id))?.task.status.state).toBe('TASK_STATE_SUBMITTED');
    expect((await other.tasks.load(id))?.task.status.timestamp).toBe(new Date(now).toISOString());
    const listed = await other.tasks.list(ANNA, HOSTED, {});
    expect(listed.ok && listed.value.totalSize).toBe(1);
    expect((await node.tasks.record(id, again.invocationId, [COMPLETED])).ok).toBe(true);
  });

  it('reaches the rows of every node, whichever node deletes', async () => {
    const ids = await Promise.all(Array.from({ length: 120 }, async () => ended()));
    const other = await deployment.node('node-b', { clock: () => now });
    now += DAY;
    await Promise.all([sweep(), sweep(other)]);
    for (const each of [node, other]) {
      // The second node may have read the begin of some tasks before their end was gone.
      await each.recovery.recover(() => Promise.reject(new Error('nothing is lost')), FOREVER);
      await each.recovery.recover(() => Promise.reject(new Error('nothing is lost')), FOREVER);
      const listed = await each.tasks.list(ANNA, HOSTED, {});
      expect(listed.ok && listed.value.totalSize).toBe(0);
      expect(await each.tasks.load(ids[7] ?? ('' as Uuid))).toBeUndefined();
    }
  });

  it('does not make a restarted node read its views anew', async () => {
    await ended();
    const kept = await begin();
    now += DAY;
    await sweep();
    await node.close();
    const again = await deployment.node('node-a', { clock: () => now });
    await again.projections.waitFor(await again.store.head(), 5000);
    const health = await again.projections.health();
    expect(health.projections[0]?.parkedEvents).toBe(0);
    const listed = await again.tasks.list(ANNA, HOSTED, {});
    expect(listed.ok && listed.value.tasks.map((task) => task.id)).toEqual([kept.id]);
  });

  it('forgets superseded statuses once no page token needs them', async () => {
    const { id, invocationId } = await begin();
    await node.tasks.record(id, invocationId, [WORKING]);
    await node.tasks.record(id, invocationId, [WORKING]);
    await sweep();
    const rows = () =>
      node.projections
        .prepare<{ n: number }>('SELECT count(*) AS n FROM task_directory_superseded')
        .get()?.n;
    expect(rows()).toBe(2);
    now += 3_600_000;
    await sweep();
    expect(rows()).toBe(0);
  });
});

describe('recovery', () => {
  const lost: Uuid[] = [];
  const onLost = async (task: { readonly task: { readonly id: string } }) => {
    lost.push(task.task.id as Uuid);
    return Promise.resolve();
  };

  async function recover(on = node): Promise<void> {
    expect(await on.projections.waitFor(await on.store.head(), 5000)).toBe(true);
    await on.recovery.recover(onLost, FOREVER);
  }

  beforeEach(() => {
    lost.length = 0;
  });

  it('ends a turn that nobody ended in time as failed, and only then', async () => {
    const { id, invocationId } = await begin();
    await node.tasks.record(id, invocationId, [WORKING]);
    now += 60_000 + 4_999;
    await recover();
    expect(lost).toEqual([]);
    now += 1;
    expect((await node.recovery.overdueTasks()).map(({ task }) => task.id)).toEqual([id]);
    await recover();
    await recover();
    expect(lost).toEqual([id]);
    const stored = await node.tasks.load(id);
    expect(stored?.task.status).toMatchObject({
      state: 'TASK_STATE_FAILED',
      message: { role: 'ROLE_AGENT' },
    });
    expect(await node.tasks.record(id, invocationId, [COMPLETED])).toMatchObject({
      error: { kind: 'terminal' },
    });
  });

  it('is done once, whichever nodes try at once', async () => {
    const other = await deployment.node('node-b', { clock: () => now });
    const begun = await Promise.all(Array.from({ length: 20 }, async () => begin()));
    now += 70_000;
    await Promise.all([recover(), recover(other), recover(), recover(other)]);
    for (const { id } of begun) {
      const events = await node.store.readStream(`task-${id}`);
      expect(events.map(({ type }) => type)).toEqual([
        'task-submitted',
        'task-routed',
        'task-status-changed',
      ]);
    }
    expect(new Set(lost)).toEqual(new Set(begun.map(({ id }) => id)));
  });

  it('leaves a turn alone that could not be ended elsewhere, says so, and goes on', async () => {
    const { id } = await begin();
    now += 1;
    const next = await begin();
    const asked = await begin();
    await node.tasks.record(asked.id, asked.invocationId, [ASKED]);
    now += DAY;
    await node.projections.waitFor(await node.store.head(), 5000);
    const failing: typeof onLost = async (task) => {
      if (task.task.id === id) throw new Error('the ledger is away');
      await onLost(task);
    };
    await node.recovery.recover(failing, FOREVER);
    expect(node.reports).toEqual(['a task could not be recovered Error: the ledger is away']);
    const stateOf = async (each: Uuid) => (await node.tasks.load(each))?.task.status.state;
    expect(await stateOf(id)).toBe('TASK_STATE_SUBMITTED');
    expect(await stateOf(next.id)).toBe('TASK_STATE_FAILED');
    expect(await stateOf(asked.id)).toBe('TASK_STATE_CANCELED');
    await recover();
    expect(lost).toEqual([next.id, id]);
  });

  it('leaves alone what ended, waits for its caller, or has no deadline', async () => {
    await ended();
    const asked = await begin();
    await node.tasks.record(asked.id, asked.invocationId, [ASKED]);
    await node.tasks.submit(randomUUID() as Uuid, newTask());
    now += 70_000;
    await recover();
    expect(lost).toEqual([]);
  });

  it('leaves a task alone that waits for an approval, until long after that could be given', async () => {
    const { id, invocationId } = await begin();
    const hold = { invocationId, expiresAt: now + 3 * DAY, outputModes: [] };
    const held = { kind: 'status', state: 'TASK_STATE_AUTH_REQUIRED', hold } as const;
    await node.tasks.record(id, invocationId, [held]);
    now += 4 * DAY - 1;
    await recover();
    expect((await node.tasks.load(id))?.task.status.state).toBe('TASK_STATE_AUTH_REQUIRED');
    now += 1;
    await recover();
    expect((await node.tasks.load(id))?.task.status.state).toBe('TASK_STATE_CANCELED');
    expect(lost).toEqual([]);
  });

  it('cancels a task whose question nobody answered for a whole retention', async () => {
    const { id, invocationId } = await begin();
    await node.tasks.record(id, invocationId, [ASKED]);
    now += DAY - 1;
    await recover();
    expect((await node.tasks.load(id))?.task.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    now += 1;
    await recover();
    expect((await node.tasks.load(id))?.task.status.state).toBe('TASK_STATE_CANCELED');
    now += DAY;
    await sweep();
    expect(await node.tasks.load(id)).toBeUndefined();
  });
});
