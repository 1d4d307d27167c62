import { expect, it } from '@jest/globals';
import { submitTask } from '../../../../src/a2a/tasks/domain/decide.js';
import {
  deletePushConfig,
  setPushConfig,
} from '../../../../src/a2a/tasks/domain/decide-push-configs.js';
import type { StoredTaskEvent } from '../../../../src/a2a/tasks/domain/events.js';
import { evolveTask, type TaskFoldState } from '../../../../src/a2a/tasks/domain/evolve.js';
import { MAX_PUSH_CONFIGS, type PushConfig } from '../../../../src/a2a/tasks/domain/push-config.js';
import type { TaskFold } from '../../../../src/a2a/tasks/domain/task-fold.js';
import { MAX_TASK_WEIGHT } from '../../../../src/a2a/tasks/domain/weight.js';
import type { Uuid } from '../../../../src/kernel/ids.js';
import { timestampOf } from '../../../../src/kernel/timestamp.js';
import { newTask } from '../support/fixtures.js';

const ID = '11111111-1111-4111-8111-111111111111' as Uuid;
const HOOK: PushConfig = { id: 'hook', url: 'https://hooks.example/a', token: 't' };

function after(state: TaskFoldState, events: readonly StoredTaskEvent[]): TaskFold {
  let fold = state;
  for (const event of events) {
    const revision = (fold?.revision ?? -1) + 1;
    fold = evolveTask(fold, { ...event, recordedAt: timestampOf(revision), revision });
  }
  if (fold === null) throw new Error('no events');
  return fold;
}

const task = after(
  null,
  submitTask(ID, newTask(), () => 'an-id'),
);

function withHook(config: PushConfig, fold = task): TaskFold {
  const set = setPushConfig(fold, config);
  if (!set.ok) throw new Error(set.error.kind);
  return after(fold, set.value);
}

it('is recorded once: set again just so, it is nothing new', () => {
  expect(setPushConfig(task, HOOK)).toEqual({
    ok: true,
    value: [{ type: 'task-push-config-set', data: { config: HOOK }, texts: null }],
  });
  const otherOrder = { token: 't', url: HOOK.url, id: HOOK.id };
  expect(setPushConfig(withHook(HOOK), otherOrder)).toEqual({ ok: true, value: [] });
  for (const other of [
    { id: HOOK.id, url: HOOK.url },
    { ...HOOK, token: 'u' },
  ]) {
    expect(setPushConfig(withHook(HOOK), other)).toMatchObject({
      value: [{ data: { config: other } }],
    });
  }
});

it('is one too many only under a new id', () => {
  let fold = task;
  for (let n = 0; n < MAX_PUSH_CONFIGS; n++) fold = withHook({ ...HOOK, id: `hook-${n}` }, fold);
  expect(setPushConfig(fold, HOOK)).toEqual({
    ok: false,
    error: { kind: 'too-many-push-configs', task: fold },
  });
  expect(setPushConfig(fold, { ...HOOK, id: 'hook-0', token: 'u' }).ok).toBe(true);
});

it('counts to what its task may hold, also where it was replaced or deleted since', () => {
  const large = { ...HOOK, token: 'x'.repeat(10_000) };
  const once = withHook(large);
  expect(once.weight - task.weight).toBeGreaterThan(10_000);
  expect(once.turnRevision).toBe(task.turnRevision);
  const gone = after(once, deletePushConfig(once, HOOK.id));
  const twice = withHook(large, gone);
  expect(twice.weight - task.weight).toBe(2 * (once.weight - task.weight));
  const full = { ...task, weight: MAX_TASK_WEIGHT - 10_000 };
  expect(setPushConfig(full, large)).toEqual({ ok: false, error: { kind: 'full', task: full } });
  expect(setPushConfig(full, HOOK).ok).toBe(true);
});

it('is deleted once', () => {
  const deleted = deletePushConfig(withHook(HOOK), HOOK.id);
  expect(deleted).toEqual([
    { type: 'task-push-config-deleted', data: { configId: HOOK.id }, texts: null },
  ]);
  expect(deletePushConfig(after(withHook(HOOK), deleted), HOOK.id)).toEqual([]);
});
