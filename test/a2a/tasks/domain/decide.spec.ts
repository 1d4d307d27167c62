import { describe, expect, it } from '@jest/globals';
import {
  continueTask,
  endFullTurn,
  endTask,
  MAX_MESSAGES,
  recordChanges,
  showTask,
  submitTask,
} from '../../../../src/a2a/tasks/domain/decide.js';
import type { StoredTaskEvent } from '../../../../src/a2a/tasks/domain/events.js';
import { evolveTask, type TaskFoldState } from '../../../../src/a2a/tasks/domain/evolve.js';
import { hasEnded, isRunning, type TaskFold } from '../../../../src/a2a/tasks/domain/task-fold.js';
import { MAX_TASK_WEIGHT } from '../../../../src/a2a/tasks/domain/weight.js';
import type { NewTask, TaskChange } from '../../../../src/a2a/tasks/domain/task.js';
import { TASK_STATES } from '../../../../src/a2a/wire/types.js';
import type { Uuid } from '../../../../src/kernel/ids.js';
import { timestampOf } from '../../../../src/kernel/timestamp.js';
import {
  artifact,
  ASKED,
  COMPLETED,
  message,
  newTask,
  routed,
  status,
  text,
  WORKING,
} from '../support/fixtures.js';

const ID = '11111111-1111-4111-8111-111111111111' as Uuid;
const FIRST = '22222222-2222-4222-8222-222222222222' as Uuid;
const SECOND = '33333333-3333-4333-8333-333333333333' as Uuid;
const newId = () => 'an-id';

function record(state: TaskFoldState, events: readonly StoredTaskEvent[]): TaskFold {
  let fold = state;
  for (const event of events) {
    const revision = (fold?.revision ?? -1) + 1;
    const recorded = { ...event, recordedAt: timestampOf(revision), revision };
    fold = evolveTask(fold, recorded);
  }
  if (fold === null) throw new Error('no events');
  return fold;
}

/** A task after a submission and further batches of changes of its first turn. */
function given(...batches: readonly (readonly TaskChange[])[]): TaskFold {
  let fold = record(null, submitTask(ID, newTask({ changes: [routed(FIRST, 5)] }), newId));
  for (const changes of batches) {
    const decided = recordChanges(fold, FIRST, changes, newId);
    if (!decided.ok) throw new Error(decided.error.kind);
    fold = record(fold, decided.value);
  }
  return fold;
}

const types = (events: readonly StoredTaskEvent[]): string[] => events.map(({ type }) => type);

describe('a submission', () => {
  it('is the message, then its webhook, then what was decided at once', () => {
    const task: NewTask = newTask({
      changes: [routed(FIRST), WORKING],
      pushConfig: { url: 'https://a.example/' },
    });
    expect(types(submitTask(ID, task, newId))).toEqual([
      'task-submitted',
      'task-push-config-set',
      'task-routed',
      'task-status-changed',
    ]);
  });

  it('may end its turn, and nothing comes after that', () => {
    const asked = newTask({
      changes: [{ ...routed(FIRST), binding: null, deadline: null } as TaskChange, ASKED],
    });
    const fold = record(null, submitTask(ID, asked, newId));
    expect([isRunning(fold), hasEnded(fold), fold.binding]).toEqual([false, false, null]);
    const late = newTask({ changes: [COMPLETED, WORKING] });
    expect(() => submitTask(ID, late, newId)).toThrow(TypeError);
  });
});

describe('what a handler says', () => {
  it.each<[string, readonly TaskChange[], string]>([
    ['while it works', [WORKING], 'ok'],
    ['after its question', [ASKED], 'moved-on'],
    ['after it completed', [COMPLETED], 'terminal'],
    ['after it failed', [status('TASK_STATE_FAILED')], 'terminal'],
    ['after it was rejected', [status('TASK_STATE_REJECTED')], 'terminal'],
    ['after it was canceled', [status('TASK_STATE_CANCELED')], 'terminal'],
    ['after it answered', [{ kind: 'answer', parts: text('42') }], 'terminal'],
  ])('%s', (_, before, expected) => {
    const decided = recordChanges(given(before), FIRST, [artifact('a', 'x')], newId);
    expect(decided.ok ? 'ok' : decided.error.kind).toBe(expected);
  });

  it('counts only for its own turn', () => {
    const decided = recordChanges(given(), SECOND, [WORKING], newId);
    expect(decided).toMatchObject({ ok: false, error: { kind: 'moved-on' } });
  });

  it('ends the deadline with the turn', () => {
    expect(given().deadline).toBe(5);
    expect(given([WORKING]).deadline).toBe(5);
    for (const end of [ASKED, COMPLETED]) expect(given([end]).deadline).toBeNull();
  });
});

describe('an answer instead of a task', () => {
  const answer: TaskChange = { kind: 'answer', parts: text('42') };
  const end = (fold: TaskFold, change = answer): TaskFold => {
    const decided = recordChanges(fold, FIRST, [change], newId);
    return record(fold, decided.ok ? decided.value : []);
  };
  const shown = (fold: TaskFold): TaskFold => {
    const decided = showTask(fold);
    return record(fold, decided.ok ? decided.value : []);
  };

  it('is one as long as nobody was shown the task, and its handler was silent', () => {
    expect(end(given()).answer?.parts).toEqual(text('42'));
    for (const fold of [given([WORKING]), given([artifact('a', 'x')]), shown(given())]) {
      const { answer: said, task } = end(fold);
      expect([said, task.status.state]).toEqual([null, 'TASK_STATE_COMPLETED']);
      expect(task.status.message?.parts).toEqual(text('42'));
    }
  });

  it('is what it says for a task that was shown', () => {
    const ifShown = status('TASK_STATE_REJECTED', 'no') as NonNullable<
      Extract<TaskChange, { kind: 'answer' }>['ifShown']
    >;
    expect(end(given(), { ...answer, ifShown }).answer).not.toBeNull();
    expect(end(shown(given()), { ...answer, ifShown }).task.status.state).toBe(
      'TASK_STATE_REJECTED',
    );
  });

  it('and being shown are each said once, and neither after the other', () => {
    for (const fold of [shown(given()), end(given()), given([WORKING]), given([COMPLETED])]) {
      expect(showTask(fold)).toEqual({ ok: true, value: [] });
    }
    const before = given();
    const after = shown(before);
    expect(after).toEqual({
      ...before,
      isShown: true,
      revision: before.revision + 1,
      recordedAt: after.recordedAt,
    });
  });
});

describe('a further message', () => {
  const turn = () => ({ message: message(), digest: 'd', changes: [routed(SECOND)] });

  it.each<[string, readonly TaskChange[], string]>([
    ['to a question', [ASKED], 'ok'],
    ['to work under way', [WORKING], 'ok'],
    ['to what has ended', [COMPLETED], 'terminal'],
    ['to what was answered', [{ kind: 'answer', parts: [] }], 'terminal'],
  ])('%s', (_, before, expected) => {
    const fold = given(before);
    const decided = continueTask(fold, fold.revision, turn(), newId);
    expect(decided.ok ? 'ok' : decided.error.kind).toBe(expected);
  });

  it('is added once', () => {
    const fold = given([ASKED]);
    const once = turn();
    const decided = continueTask(fold, fold.revision, once, newId);
    const after = record(fold, decided.ok ? decided.value : []);
    expect(after.messages.get(once.message.messageId)).toBe('d');
    expect(continueTask(after, after.revision, once, newId)).toMatchObject({
      error: { kind: 'moved-on' },
    });
  });

  it('submits the task again, for the new invocation alone', () => {
    const fold = given([ASKED]);
    const decided = continueTask(fold, fold.revision, turn(), newId);
    const after = record(fold, decided.ok ? decided.value : []);
    expect(after.task.status.state).toBe('TASK_STATE_SUBMITTED');
    expect(isRunning(after)).toBe(true);
    expect(recordChanges(after, FIRST, [WORKING], newId).ok).toBe(false);
    expect(recordChanges(after, SECOND, [WORKING], newId).ok).toBe(true);
  });

  it('is one of a bounded number', () => {
    let fold = given([ASKED]);
    for (let index = fold.messages.size; index < MAX_MESSAGES; index++) {
      fold = { ...fold, messages: new Map(fold.messages).set(`m-${String(index)}`, 'd') };
    }
    expect(continueTask(fold, fold.revision, turn(), newId)).toMatchObject({
      error: { kind: 'full' },
    });
  });

  it('that is known already, or comes too late, is so also when the task is full', () => {
    const fold = { ...given([ASKED]), weight: MAX_TASK_WEIGHT };
    const [known = ''] = fold.messages.keys();
    const again = { ...turn(), message: message({ messageId: known }) };
    for (const [revision, late] of [
      [fold.revision, again],
      [fold.revision - 1, turn()],
    ] as const) {
      expect(continueTask(fold, revision, late, newId)).toMatchObject({
        error: { kind: 'moved-on' },
      });
    }
  });
});

describe('the weight of a task', () => {
  const grown = (...changes: readonly TaskChange[]): number =>
    given(changes).weight - given().weight;

  it('is about all that was ever said, whatever became of it', () => {
    const words = 'x'.repeat(10_000);
    const deep = { a: [{ b: words }] };
    for (const change of [
      artifact('a', words),
      artifact(words, 'x'),
      { kind: 'artifact', artifact: { artifactId: 'a', parts: [{ data: deep }] } },
      { kind: 'artifact', artifact: { artifactId: 'a', parts: [], metadata: deep } },
      { kind: 'status', state: 'TASK_STATE_WORKING', metadata: deep },
      { kind: 'answer', parts: text(words) },
    ] as const) {
      expect(grown(change)).toBeGreaterThan(10_000);
      expect(grown(change)).toBeLessThan(11_000);
    }
    expect(grown(status('TASK_STATE_WORKING', words))).toBeGreaterThan(20_000);
    expect(grown(artifact('a', words), artifact('a', words))).toBeGreaterThan(20_000);
    const fold = given([ASKED]);
    const sent = message({ extensions: [words], referenceTaskIds: [words], parts: text(words) });
    const turn = { message: sent, digest: 'd', changes: [routed(SECOND)] };
    const decided = continueTask(fold, fold.revision, turn, newId);
    const after = record(fold, decided.ok ? decided.value : []);
    expect(after.weight - fold.weight).toBeGreaterThan(30_000);
  });

  it('is bounded: what would exceed it is refused whole, but an end from outside is not', () => {
    const left = (weight: number): TaskFold => ({ ...given(), weight: MAX_TASK_WEIGHT - weight });
    const batch = [artifact('a', 'x'), artifact('b', 'x'.repeat(1000)), COMPLETED];
    expect(recordChanges(left(10_000), FIRST, batch, newId).ok).toBe(true);
    const full = left(500);
    expect(recordChanges(full, FIRST, batch, newId)).toEqual({
      ok: false,
      error: { kind: 'full', task: full },
    });
    const ended = endFullTurn(full, FIRST, newId);
    expect(record(full, ended.ok ? ended.value : []).task.status).toMatchObject({
      state: 'TASK_STATE_FAILED',
      message: { parts: [{ text: expect.stringContaining('too large') }] },
    });
    expect(endFullTurn(full, SECOND, newId)).toMatchObject({ error: { kind: 'moved-on' } });
    expect(endTask(full, 'TASK_STATE_CANCELED', undefined, newId).ok).toBe(true);
  });
});

describe('an end from outside', () => {
  it.each(TASK_STATES)('of a task in %s', (state) => {
    const fold = { ...given(), task: { ...given().task, status: { state, timestamp: '' } } };
    const decided = endTask(fold, 'TASK_STATE_CANCELED', undefined, newId);
    expect(decided.ok).toBe(!hasEnded(fold));
  });
});

it('folds step by step as at once: fold(a ++ b) = fold(fold(a), b)', () => {
  const batches = [[WORKING], [artifact('a', '1'), artifact('a', '2', true)], [COMPLETED]];
  const events: StoredTaskEvent[] = [
    ...submitTask(ID, newTask({ changes: [routed(FIRST, 5)] }), newId),
  ];
  for (const changes of batches) {
    const decided = recordChanges(record(null, events), FIRST, changes, newId);
    if (decided.ok) events.push(...decided.value);
  }
  const whole = record(null, events);
  for (let cut = 1; cut < events.length; cut++) {
    expect(record(record(null, events.slice(0, cut)), events.slice(cut))).toEqual(whole);
  }
});
