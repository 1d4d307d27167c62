import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { StoredTask, TaskOwner } from '../../../src/a2a/tasks/domain/task.js';
import type { PushConfigs, Tasks } from '../../../src/a2a/tasks/port.js';
import { hashJson } from '../../../src/kernel/digest.js';
import type { Uuid } from '../../../src/kernel/ids.js';
import { effort } from '../../contracts/support/effort.js';
import {
  ANNA,
  artifact,
  ASKED,
  BERT,
  COMPLETED,
  HOSTED,
  message,
  newTask,
  OTHER_HOSTED,
  routed,
  SECRET,
  SHARED,
  status,
  text,
  WORKING,
} from './support/fixtures.js';
import { TaskDeployment, type TaskNode } from './support/task-node.js';

let deployment: TaskDeployment;
let node: TaskNode;
let tasks: Tasks;
let configs: PushConfigs;

beforeEach(async () => {
  deployment = await TaskDeployment.open();
  node = await deployment.node();
  ({ tasks, pushConfigs: configs } = node);
});

afterEach(async () => {
  await deployment.dispose();
});

/** A task whose turn is under way. */
async function running(owner: TaskOwner = ANNA): Promise<{ id: Uuid; invocationId: Uuid }> {
  const invocationId = randomUUID() as Uuid;
  const task = newTask({ owner, changes: [routed(invocationId)] });
  const id = tasks.idFor(owner, HOSTED, task.message.messageId);
  await tasks.submit(id, task);
  return { id, invocationId };
}

async function ended(owner: TaskOwner = ANNA): Promise<Uuid> {
  const { id, invocationId } = await running(owner);
  await tasks.record(id, invocationId, [artifact('a', 'x'), COMPLETED]);
  return id;
}

function stateOf(stored: StoredTask | undefined): string | undefined {
  return stored?.task.status.state;
}

describe('submitting', () => {
  it('makes a task in one append, and finds it when the message comes again', async () => {
    const task = newTask({ changes: [routed(randomUUID() as Uuid)] });
    const id = tasks.idFor(ANNA, HOSTED, task.message.messageId);

    const first = await tasks.submit(id, task);
    const again = await tasks.submit(id, { ...task, digest: 'of another message' });

    expect(first.known).toBe(false);
    expect(again.known).toBe(true);
    expect(again.stored.task).toEqual(first.stored.task);
    expect(again.stored.messages.get(task.message.messageId)).toBe(task.digest);
    const events = await node.store.readStream(`task-${id}`);
    expect(events.map(({ type }) => type)).toEqual(['task-submitted', 'task-routed']);
  });

  it('lets one of many at once begin the task, on two nodes', async () => {
    const other = await deployment.node('node-b');
    const id = tasks.idFor(ANNA, HOSTED, 'one');
    const sent = message({ messageId: 'one' });
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, async (_, index) =>
        (index % 2 === 0 ? node : other).tasks.submit(id, newTask({ message: sent })),
      ),
    );
    expect(outcomes.filter(({ known }) => !known)).toHaveLength(1);
    expect(await node.store.readStream(`task-${id}`)).toHaveLength(1);
  });

  it('gives equal messages of one owner one id, and no two owners or agents the same', () => {
    const speaker = { ...ANNA, agent: HOSTED } as TaskOwner;
    const cousin = { ...ANNA, tenant: 'umbrella' } as TaskOwner;
    const ids = [ANNA, BERT, speaker, cousin].flatMap((owner) =>
      [HOSTED, OTHER_HOSTED].map((agent) => tasks.idFor(owner, agent, 'm-1')),
    );
    expect(new Set(ids).size).toBe(8);
    expect(tasks.idFor(ANNA, HOSTED, 'm-1')).toBe(tasks.idFor(ANNA, HOSTED, 'm-1'));
    expect(tasks.idFor(SHARED, HOSTED, 'm-1')).not.toBe(tasks.idFor(SHARED, HOSTED, 'm-1'));
  });

  it('keeps what a client said about the context, and makes one up otherwise', async () => {
    const named = newTask({ message: message({ contextId: 'ctx-7' }) });
    const { stored } = await tasks.submit(randomUUID() as Uuid, named);
    expect(stored.task.contextId).toBe('ctx-7');
    expect(stored.task.history).toEqual([
      { ...named.message, contextId: 'ctx-7', taskId: stored.task.id },
    ]);
    const { stored: unnamed } = await tasks.submit(randomUUID() as Uuid, newTask());
    expect(unnamed.task.contextId).not.toBe('');
  });
});

describe('a turn', () => {
  it('adds status, messages and artifacts, and ends with its last status', async () => {
    const { id, invocationId } = await running();
    await tasks.record(id, invocationId, [WORKING, artifact('a', 'one'), artifact('b', 'two')]);
    await tasks.record(id, invocationId, [artifact('a', 'more', true), artifact('b', 'instead')]);
    await tasks.record(id, invocationId, [
      { kind: 'status', state: 'TASK_STATE_COMPLETED', parts: text('done'), metadata: { m: 1 } },
    ]);

    const stored = await tasks.load(id);
    expect(stored?.task.status).toMatchObject({
      state: 'TASK_STATE_COMPLETED',
      message: { role: 'ROLE_AGENT', parts: text('done'), taskId: id },
    });
    expect(stored?.task.history?.map(({ role }) => role)).toEqual(['ROLE_USER', 'ROLE_AGENT']);
    expect(stored?.task.metadata).toEqual({ m: 1 });
    expect(stored?.task.artifacts).toEqual([
      { artifactId: 'a', parts: [{ text: 'one' }, { text: 'more' }] },
      { artifactId: 'b', parts: [{ text: 'instead' }] },
    ]);
    expect(stored?.deadline).toBeNull();
  });

  it('is the same for whoever folds the stream anew', async () => {
    const { id, invocationId } = await running();
    await tasks.record(id, invocationId, [WORKING, artifact('a', 'one'), ASKED]);
    const other = await deployment.node('node-b');
    expect(await other.tasks.load(id)).toEqual(await tasks.load(id));
  });

  it('is continued by a further message, at exactly its revision', async () => {
    const { id, invocationId } = await running();
    const asked = await tasks.record(id, invocationId, [ASKED]);
    const revision = asked.ok ? asked.value.revision : -1;
    const next = randomUUID() as Uuid;
    const turn = { message: message(), digest: 'd', changes: [routed(next)] };

    expect(await tasks.continue(id, revision - 1, turn)).toMatchObject({
      ok: false,
      error: { kind: 'moved-on' },
    });
    const continued = await tasks.continue(id, revision, turn);
    expect(continued.ok && stateOf(continued.value)).toBe('TASK_STATE_SUBMITTED');
    expect(await tasks.continue(id, revision, { ...turn, message: message() })).toMatchObject({
      error: { kind: 'moved-on' },
    });
    // The turn before has nothing more to say.
    expect(await tasks.record(id, invocationId, [WORKING])).toMatchObject({
      error: { kind: 'moved-on' },
    });
    expect((await tasks.record(id, next, [COMPLETED])).ok).toBe(true);
  });

  it('is not in the way of a webhook that is set meanwhile, nor that in its', async () => {
    const { id, invocationId } = await running();
    const asked = await tasks.record(id, invocationId, [ASKED]);
    const revision = asked.ok ? asked.value.revision : -1;
    await configs.set(ANNA, HOSTED, id, { url: 'http://127.0.0.1:9999/' });
    const next = randomUUID() as Uuid;
    const turn = { message: message(), digest: 'd', changes: [routed(next)] };
    expect((await tasks.continue(id, revision, turn)).ok).toBe(true);
  });

  it('records against what another node has written meanwhile', async () => {
    const other = await deployment.node('node-b');
    const { id, invocationId } = await running();
    await other.pushConfigs.set(ANNA, HOSTED, id, { url: 'http://127.0.0.1:9999/' });
    const recorded = await tasks.record(id, invocationId, [COMPLETED]);
    // Behind the webhook, and that its owner was shown the task.
    expect(recorded.ok && recorded.value.revision).toBe(4);
  });

  it('takes all of a batch or nothing, and nothing after its end', async () => {
    const { id, invocationId } = await running();
    expect(await tasks.record(id, invocationId, [COMPLETED, artifact('a', 'late')])).toMatchObject({
      error: { kind: 'moved-on' },
    });
    expect(stateOf(await tasks.load(id))).toBe('TASK_STATE_SUBMITTED');
    await tasks.record(id, invocationId, [COMPLETED]);
    expect(await tasks.record(id, invocationId, [WORKING])).toMatchObject({
      error: { kind: 'terminal' },
    });
  });

  it('of another invocation says nothing', async () => {
    const { id } = await running();
    expect(await tasks.record(id, randomUUID() as Uuid, [COMPLETED])).toMatchObject({
      error: { kind: 'moved-on' },
    });
  });

  it('that ends in a message leaves a task that nobody sees', async () => {
    const { id, invocationId } = await running();
    const answered = await tasks.record(id, invocationId, [{ kind: 'answer', parts: text('42') }]);
    expect(answered.ok && answered.value.answer).toMatchObject({ parts: text('42') });
    expect(answered.ok && answered.value.answer).not.toHaveProperty('taskId');
    expect(await tasks.find(ANNA, HOSTED, id)).toMatchObject({ error: { error: 'TaskNotFound' } });
    expect(await tasks.cancel(ANNA, HOSTED, id)).toMatchObject({
      error: { error: 'TaskNotFound' },
    });
    expect((await tasks.load(id))?.answer?.parts).toEqual(text('42'));
  });
});

describe('terminal states are final (case 19)', () => {
  it.each([
    'TASK_STATE_COMPLETED',
    'TASK_STATE_FAILED',
    'TASK_STATE_REJECTED',
    'TASK_STATE_CANCELED',
  ] as const)('%s', async (state) => {
    const { id, invocationId } = await running();
    await tasks.record(id, invocationId, [status(state)]);
    const before = await tasks.load(id);
    const turn = { message: message(), digest: 'd', changes: [] };
    const refused = { error: { kind: 'terminal' } };
    expect(await tasks.continue(id, before?.revision ?? 0, turn)).toMatchObject(refused);
    expect(await tasks.record(id, invocationId, [WORKING])).toMatchObject(refused);
    const canceled = await tasks.cancel(ANNA, HOSTED, id);
    if (state === 'TASK_STATE_CANCELED') expect(canceled.ok).toBe(true);
    else expect(canceled).toMatchObject({ error: { error: 'TaskNotCancelable' } });
    expect(await tasks.load(id)).toEqual(before);
  });

  it('completing and canceling race: one of them wins, each time', async () => {
    const other = await deployment.node('node-b');
    const wins = { TASK_STATE_COMPLETED: 0, TASK_STATE_CANCELED: 0 };
    const rounds = effort(1000, 5000);
    for (let done = 0; done < rounds; done += 50) {
      await Promise.all(
        Array.from({ length: 50 }, async (_, index) => {
          const { id, invocationId } = await running();
          const canceling = (index % 3 === 0 ? tasks : other.tasks).cancel(ANNA, HOSTED, id);
          // Canceling looks first: the other one begins some turns of the event loop later.
          for (let turns = index % 12; turns > 0; turns--) await nextTurn();
          const completing = tasks.record(id, invocationId, [COMPLETED]);
          const outcomes = await Promise.all([canceling, completing]);

          expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
          const state = stateOf(await tasks.load(id));
          expect(stateOf(await other.tasks.load(id))).toBe(state);
          const events = await node.store.readStream(`task-${id}`);
          expect(events).toHaveLength(3);
          wins[state as keyof typeof wins]++;
        }),
      );
    }
    expect(wins.TASK_STATE_COMPLETED + wins.TASK_STATE_CANCELED).toBe(rounds);
    expect(wins.TASK_STATE_COMPLETED).toBeGreaterThan(0);
    expect(wins.TASK_STATE_CANCELED).toBeGreaterThan(0);
  }, 120_000);

  it('canceling twice, also at once, changes one thing', async () => {
    const { id } = await running();
    const outcomes = await Promise.all(
      Array.from({ length: 5 }, async () => tasks.cancel(ANNA, HOSTED, id)),
    );
    expect(outcomes.every(({ ok }) => ok)).toBe(true);
    expect(await node.store.readStream(`task-${id}`)).toHaveLength(3);
  });
});

describe('the owner gate (case 14)', () => {
  const CALLERS: readonly (readonly [name: string, owner: TaskOwner])[] = [
    ['another principal', BERT],
    ['another tenant', { ...ANNA, tenant: 'umbrella' } as TaskOwner],
    ['the same principal for an agent', { ...ANNA, agent: HOSTED } as TaskOwner],
    ['an anonymous caller', SECRET],
    ['a shared anonymous caller', SHARED],
  ];
  const TASKS = [
    ['live', running],
    ['ended', ended],
  ] as const;

  for (const [kind, make] of TASKS) {
    it.each(CALLERS)(
      `keeps a task (${kind}) from %s as if there were none`,
      async (_, stranger) => {
        const made = await make();
        const id = typeof made === 'string' ? made : made.id;
        await configs.set(ANNA, HOSTED, id, { id: 'hook', url: 'http://127.0.0.1:9999/' });
        const before = await tasks.load(id);
        const unknown = randomUUID();
        const operations = (target: string) => [
          tasks.find(stranger, HOSTED, target),
          tasks.cancel(stranger, HOSTED, target),
          configs.set(stranger, HOSTED, target, { url: 'nonsense' }),
          configs.get(stranger, HOSTED, target, 'hook'),
          configs.list(stranger, HOSTED, target, { pageSize: -1 }),
          configs.delete(stranger, HOSTED, target, 'hook'),
        ];
        const foreign = JSON.stringify(await Promise.all(operations(id)));
        const none = JSON.stringify(await Promise.all(operations(unknown)));
        expect(foreign.replaceAll(id, unknown)).toBe(none);
        expect(foreign).not.toContain('"ok":true');
        expect(await tasks.load(id)).toEqual(before);
        const listed = await tasks.list(stranger, HOSTED, {});
        expect(listed.ok && listed.value.totalSize).toBe(0);
      },
    );
  }

  it('keeps a task from its own owner at another agent', async () => {
    const id = await ended();
    expect((await tasks.find(ANNA, HOSTED, id)).ok).toBe(true);
    expect((await tasks.find(ANNA, OTHER_HOSTED, id)).ok).toBe(false);
  });

  it('knows no task by what is no id', async () => {
    const known = await ended();
    for (const id of ['', 'x', `task-${known}`, `../${known}`, '\0', known.toUpperCase()]) {
      const found = await tasks.find(ANNA, HOSTED, id);
      expect(found).toMatchObject({ error: { error: 'TaskNotFound' } });
    }
  });

  it('lets anonymous callers find theirs by id, and lists only shared ones', async () => {
    const secret = await ended(SECRET);
    const shared = await ended(SHARED);
    expect((await tasks.find(SECRET, HOSTED, secret)).ok).toBe(true);
    expect((await tasks.find(ANNA, HOSTED, secret)).ok).toBe(false);
    const listedSecret = await tasks.list(SECRET, HOSTED, {});
    expect(listedSecret.ok && listedSecret.value.tasks).toEqual([]);
    const listedShared = await tasks.list(SHARED, HOSTED, {});
    expect(listedShared.ok && listedShared.value.tasks.map(({ id }) => id)).toEqual([shared]);
  });
});

it('a digest tells the same message from another under its id (case 20)', async () => {
  const sent = message({ messageId: 'm-1' });
  const id = tasks.idFor(ANNA, HOSTED, 'm-1');
  await tasks.submit(id, newTask({ message: sent }));
  const changed = { ...sent, parts: text('something else') };
  const { known, stored } = await tasks.submit(
    id,
    newTask({ message: changed, digest: hashJson(changed) }),
  );
  expect(known).toBe(true);
  expect(stored.messages.get('m-1')).toBe(hashJson(sent));
});
