import { describe, expect, it } from '@jest/globals';
import { endTask, releaseTask, submitTask } from '../../../../src/a2a/tasks/domain/decide.js';
import type { StoredTaskEvent } from '../../../../src/a2a/tasks/domain/events.js';
import { evolveTask, type TaskFoldState } from '../../../../src/a2a/tasks/domain/evolve.js';
import { isHeld, isRunning, type TaskFold } from '../../../../src/a2a/tasks/domain/task-fold.js';
import type { TaskChange } from '../../../../src/a2a/tasks/domain/task.js';
import { outcomeOfTurn } from '../../../../src/a2a/tasks/domain/turn-outcome.js';
import type { Recorded } from '../../../../src/kernel/event.js';
import type { Uuid } from '../../../../src/kernel/ids.js';
import { timestampOf } from '../../../../src/kernel/timestamp.js';
import { COMPLETED, newTask, routed, status, WORKING } from '../support/fixtures.js';

const ID = '11111111-1111-4111-8111-111111111111' as Uuid;
const CALL = '22222222-2222-4222-8222-222222222222' as Uuid;
const OTHER = '33333333-3333-4333-8333-333333333333' as Uuid;
const newId = () => 'an-id';

const HOLD = { invocationId: CALL, expiresAt: 9_000, outputModes: ['text/plain'] };
const HELD: TaskChange = { kind: 'status', state: 'TASK_STATE_AUTH_REQUIRED', hold: HOLD };
const REJECTED = status('TASK_STATE_REJECTED');

function recordedAll(events: readonly StoredTaskEvent[]): Recorded<StoredTaskEvent>[] {
  return events.map((event, revision) => ({
    ...event,
    recordedAt: timestampOf(revision),
    revision,
  }));
}

function fold(events: readonly StoredTaskEvent[]): TaskFold {
  const folded = recordedAll(events).reduce<TaskFoldState>(evolveTask, null);
  if (folded === null) throw new Error('no events');
  return folded;
}

const SUBMITTED = submitTask(ID, newTask({ changes: [routed(CALL, 5), HELD] }), newId);

/** What stands on a held task once it was released with these changes. */
function released(...changes: readonly TaskChange[]): readonly StoredTaskEvent[] {
  const decided = releaseTask(fold(SUBMITTED), CALL, changes, newId);
  if (!decided.ok) throw new Error(decided.error.kind);
  return [...SUBMITTED, ...decided.value];
}

describe('a held task', () => {
  it('waits for nobody that a deadline could be missed by', () => {
    const held = fold(SUBMITTED);
    expect(isHeld(held)).toBe(true);
    expect(isRunning(held)).toBe(false);
    expect(held.deadline).toBeNull();
    expect(held.hold).toEqual(HOLD);
  });

  it('goes on with a new deadline, and is still known for what it waited for', () => {
    const going = fold(released(routed(CALL, 77), WORKING));
    expect([isHeld(going), isRunning(going), going.deadline]).toEqual([false, true, 77]);
    expect(going.hold).toEqual(HOLD);
  });

  it.each([COMPLETED, status('TASK_STATE_AUTH_REQUIRED'), status('TASK_STATE_INPUT_REQUIRED')])(
    'waits for no approval any more when its turn has ended: %j',
    (end) => {
      const over = fold(released(routed(CALL, 77), WORKING, end));
      expect([isHeld(over), over.hold]).toEqual([false, null]);
    },
  );

  it('is released once, and by its own call', () => {
    const refusals = [
      releaseTask(fold(SUBMITTED), OTHER, [REJECTED], newId),
      releaseTask(fold(released(routed(CALL, 77), WORKING)), CALL, [REJECTED], newId),
      releaseTask(fold(released(REJECTED)), CALL, [WORKING], newId),
    ];
    expect(refusals.map((each) => (each.ok ? 'ok' : each.error.kind))).toEqual([
      'moved-on',
      'moved-on',
      'terminal',
    ]);
  });

  it('can be canceled', () => {
    const canceled = endTask(fold(SUBMITTED), 'TASK_STATE_CANCELED', undefined, newId);
    expect(canceled.ok).toBe(true);
  });
});

describe('the outcome of a call that waited', () => {
  it.each<[string, readonly StoredTaskEvent[], string | undefined]>([
    ['is none while it waits', SUBMITTED, undefined],
    ['is none while it works', released(routed(CALL, 77), WORKING), undefined],
    ['is that of its turn', released(routed(CALL, 77), WORKING, COMPLETED), 'succeeded'],
    ['is that it was rejected', released(REJECTED), 'rejected'],
  ])('%s', (_, events, outcome) => {
    expect(outcomeOfTurn(recordedAll(events), CALL)).toBe(outcome);
  });
});
