import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { TaskEvent } from '../../../src/a2a/tasks/port.js';
import type { Uuid } from '../../../src/kernel/ids.js';
import { aMoment, eventually } from '../../support/eventually.js';
import {
  ANNA,
  artifact,
  ASKED,
  COMPLETED,
  HOSTED,
  message,
  newTask,
  routed,
  text,
  WORKING,
} from './support/fixtures.js';
import { TaskDeployment, type TaskNode } from './support/task-node.js';

let deployment: TaskDeployment;
let node: TaskNode;

beforeEach(async () => {
  deployment = await TaskDeployment.open();
  node = await deployment.node();
});

afterEach(async () => {
  await deployment.dispose();
});

const FOREVER = new AbortController().signal;

async function begin(): Promise<{ id: Uuid; invocationId: Uuid }> {
  const [id, invocationId] = [randomUUID() as Uuid, randomUUID() as Uuid];
  await node.tasks.submit(id, newTask({ changes: [routed(invocationId)] }));
  return { id, invocationId };
}

async function all(
  watching: AsyncIterable<TaskEvent>,
  until = Infinity,
): Promise<readonly TaskEvent[]> {
  const events: TaskEvent[] = [];
  for await (const event of watching) {
    events.push(event);
    if (events.length === until) break;
  }
  return events;
}

function kinds(events: readonly TaskEvent[]): string[] {
  return events.map(({ id, response }) => `${id} ${Object.keys(response)[0] ?? ''}`);
}

/** Says everything there is to say, in appends of different sizes. */
async function play(id: Uuid, invocationId: Uuid): Promise<void> {
  const { tasks } = node;
  await tasks.record(id, invocationId, [WORKING]);
  await node.pushConfigs.set(ANNA, HOSTED, id, { url: 'http://127.0.0.1:9999/' });
  await tasks.record(id, invocationId, [artifact('a', '1'), artifact('a', '2', true)]);
  for (let chunk = 3; chunk < 9; chunk++) {
    await tasks.record(id, invocationId, [artifact('a', String(chunk), true)]);
  }
  await tasks.record(id, invocationId, [artifact('b', 'x'), COMPLETED]);
}

const WHOLE = [
  '0 task',
  '2 statusUpdate',
  ...[4, 5, 6, 7, 8, 9, 10, 11, 12].map((revision) => `${String(revision)} artifactUpdate`),
  '13 statusUpdate',
];

describe('watching', () => {
  it('from the first event shows the task, then each event under its own id, then ends', async () => {
    const { id, invocationId } = await begin();
    const watching = all(node.tasks.watch(id, -1, FOREVER));
    await play(id, invocationId);
    const events = await watching;
    expect(kinds(events)).toEqual(WHOLE);
    expect(events[0]?.response).toMatchObject({
      task: { id, status: { state: 'TASK_STATE_SUBMITTED' } },
    });
    expect(events.at(-1)?.response).toMatchObject({
      statusUpdate: {
        taskId: id,
        status: { state: 'TASK_STATE_COMPLETED', message: { parts: text('done') } },
      },
    });
    expect(events[3]?.response).toMatchObject({
      artifactUpdate: { taskId: id, append: true, artifact: { parts: text('2') } },
    });
  });

  it('without a revision begins with the task as it stands', async () => {
    const { id, invocationId } = await begin();
    await node.tasks.record(id, invocationId, [WORKING]);
    const watching = all(node.tasks.watch(id, undefined, FOREVER));
    await aMoment();
    await node.tasks.record(id, invocationId, [COMPLETED]);
    const events = await watching;
    expect(kinds(events)).toEqual(['2 task', '3 statusUpdate']);
    expect(events[0]?.response).toMatchObject({
      task: { status: { state: 'TASK_STATE_WORKING' } },
    });
  });

  it('of a task that has ended shows it and ends', async () => {
    const { id, invocationId } = await begin();
    await node.tasks.record(id, invocationId, [COMPLETED]);
    expect(kinds(await all(node.tasks.watch(id, undefined, FOREVER)))).toEqual(['2 task']);
    expect(kinds(await all(node.tasks.watch(id, 2, FOREVER)))).toEqual([]);
    expect(kinds(await all(node.tasks.watch(id, 77, FOREVER)))).toEqual(['2 task']);
    expect(kinds(await all(node.tasks.watch(randomUUID() as Uuid, -1, FOREVER)))).toEqual([]);
  });

  it('ends when the agent asks back, and a further turn begins with the task', async () => {
    const { id, invocationId } = await begin();
    const first = all(node.tasks.watch(id, -1, FOREVER));
    const asked = await node.tasks.record(id, invocationId, [ASKED]);
    expect(kinds(await first)).toEqual(['0 task', '2 statusUpdate']);

    const revision = asked.ok ? asked.value.revision : -1;
    const next = randomUUID() as Uuid;
    const second = all(node.tasks.watch(id, -1, FOREVER));
    expect(kinds(await second)).toEqual(['0 task', '2 statusUpdate']);
    await node.tasks.continue(id, revision, {
      message: message({ parts: text('the second') }),
      digest: 'd',
      changes: [routed(next)],
    });
    const third = all(node.tasks.watch(id, revision, FOREVER));
    await node.tasks.record(id, next, [COMPLETED]);
    const events = await third;
    expect(kinds(events)).toEqual(['3 task', '5 statusUpdate']);
    expect(events[0]?.response).toMatchObject({
      task: {
        status: { state: 'TASK_STATE_SUBMITTED' },
        history: [{}, {}, { parts: text('the second') }],
      },
    });
  });

  it('of a turn that ended in a message shows nothing else', async () => {
    const { id, invocationId } = await begin();
    await node.tasks.record(id, invocationId, [{ kind: 'answer', parts: text('42') }]);
    for (const after of [undefined, -1, 0, 1]) {
      const events = await all(node.tasks.watch(id, after, FOREVER));
      expect(events.map(({ response }) => Object.keys(response))).toEqual([['message']]);
    }
    expect(await all(node.tasks.watch(id, 2, FOREVER))).toEqual([]);
  });

  it('stops at the signal, also while it waits', async () => {
    const { id } = await begin();
    const stop = new AbortController();
    const watching = all(node.tasks.watch(id, -1, stop.signal));
    await aMoment();
    stop.abort();
    expect(kinds(await watching)).toEqual(['0 task']);
  });

  it('stops when the node is closed', async () => {
    const { id, invocationId } = await begin();
    const other = await deployment.node('node-b');
    // It holds an event while the node is closed.
    const slow = node.tasks.watch(id, -1, FOREVER)[Symbol.asyncIterator]();
    expect((await slow.next()).value).toMatchObject({ id: '0' });
    const watching = all(node.tasks.watch(id, -1, FOREVER));
    await aMoment();
    await node.close();
    expect(kinds(await watching)).toEqual(['0 task']);
    await other.tasks.record(id, invocationId, [COMPLETED]);
    expect(await slow.next()).toEqual({ done: true, value: undefined });
  });
});

describe('cut after event k and resumed, for every k (case 21)', () => {
  it('gives each event exactly once, while the task ends or afterwards, on another node too', async () => {
    const other = await deployment.node('node-b');
    const { id, invocationId } = await begin();
    const live = Array.from({ length: WHOLE.length + 1 }, async (_, cut) => {
      const before = cut === 0 ? [] : await all(node.tasks.watch(id, -1, FOREVER), cut);
      const last = Number(before.at(-1)?.id ?? -1);
      const after = await all((cut % 2 ? node : other).tasks.watch(id, last, FOREVER));
      return [...kinds(before), ...kinds(after)];
    });
    await aMoment();
    await play(id, invocationId);
    for (const events of await Promise.all(live)) expect(events).toEqual(WHOLE);

    for (let cut = 0; cut <= WHOLE.length; cut++) {
      const last = Number(WHOLE[cut - 1]?.split(' ')[0] ?? -1);
      const rest = await all(other.tasks.watch(id, last, FOREVER));
      expect(kinds(rest)).toEqual(WHOLE.slice(cut));
    }
  });
});

it('watchers in any process see every event of many tasks, whoever is slow', async () => {
  const other = await deployment.node('node-b');
  const begun = await Promise.all(Array.from({ length: 10 }, async () => begin()));
  // It takes one event and does not come back.
  const sleepers = begun.map(({ id }) =>
    other.tasks.watch(id, -1, FOREVER)[Symbol.asyncIterator](),
  );
  await Promise.all(sleepers.map(async (sleeper) => sleeper.next()));
  const watching = begun.flatMap(({ id }) =>
    [node, other, other].map(async ({ tasks }) => all(tasks.watch(id, -1, FOREVER))),
  );
  await Promise.all(begun.map(async ({ id, invocationId }) => play(id, invocationId)));
  for (const events of await Promise.all(watching)) expect(kinds(events)).toEqual(WHOLE);
  // What it missed meanwhile is still there.
  const next = await sleepers[0]?.next();
  expect(next?.value).toMatchObject({ id: '2' });
  await Promise.all(sleepers.map(async (sleeper) => sleeper.return?.(undefined)));
});

it('goes on after the store was away', async () => {
  const { id, invocationId } = await begin();
  const other = await deployment.node('node-b');
  const watching = all(other.tasks.watch(id, -1, FOREVER));
  await eventually(async () => (await node.tasks.record(id, invocationId, [WORKING])).ok);
  await node.tasks.record(id, invocationId, [COMPLETED]);
  expect(kinds(await watching)).toEqual(['0 task', '2 statusUpdate', '3 statusUpdate']);
});

it('sees a task through all its turns when it watches the task', async () => {
  const { id, invocationId } = await begin();
  const asked = await node.tasks.record(id, invocationId, [ASKED]);
  if (!asked.ok) throw new Error(asked.error.kind);
  const watching = all(node.tasks.watch(id, undefined, FOREVER, 'task'));
  const next = randomUUID() as Uuid;
  await node.tasks.continue(id, asked.value.revision, {
    message: message(),
    digest: 'digest',
    changes: [routed(next)],
  });
  await node.tasks.record(id, next, [COMPLETED]);
  const { revision } = asked.value;
  expect(kinds(await watching)).toEqual([
    `${String(revision)} task`,
    `${String(revision + 1)} task`,
    `${String(revision + 3)} statusUpdate`,
  ]);
  // Whoever comes after its end is told the rest, and no more.
  expect(kinds(await all(node.tasks.watch(id, revision, FOREVER, 'task')))).toHaveLength(2);
});

describe('a task of many turns', () => {
  const TURNS = 12;

  /** Each turn says one thing and asks back. @returns the revision with which each began */
  async function manyTurns(): Promise<{ readonly id: Uuid; readonly begins: readonly number[] }> {
    const { id, invocationId } = await begin();
    const begins = [0];
    let turn = invocationId;
    for (let nth = 1; nth < TURNS; nth++) {
      const asked = await node.tasks.record(id, turn, [artifact(`a${String(nth)}`, 'x'), ASKED]);
      if (!asked.ok) throw new Error(asked.error.kind);
      turn = randomUUID() as Uuid;
      begins.push(asked.value.revision + 1);
      await node.tasks.continue(id, asked.value.revision, {
        message: message({ parts: text(`turn ${String(nth)}`) }),
        digest: 'd',
        changes: [routed(turn)],
      });
    }
    await node.tasks.record(id, turn, [COMPLETED]);
    return { id, begins };
  }

  const begun = (events: readonly TaskEvent[]) =>
    events.flatMap(({ id, response }) =>
      'task' in response ? [{ id: Number(id), task: response.task }] : [],
    );

  it('tells whoever resumes each event once, the whole task only as its newest turn began', async () => {
    const { id, begins } = await manyTurns();
    const other = await deployment.node('node-b');
    for (const { tasks } of [node, other]) {
      const events = await all(tasks.watch(id, -1, FOREVER, 'task'));
      expect(new Set(events.map((event) => event.id)).size).toBe(events.length);
      const snapshots = begun(events);
      expect(snapshots.map((each) => each.id)).toEqual(begins);
      for (const { task } of snapshots.slice(0, -1)) {
        expect(task).toMatchObject({ id, status: { state: 'TASK_STATE_SUBMITTED' } });
        expect([task.history?.length, task.artifacts]).toEqual([1, undefined]);
      }
      const newest = snapshots.at(-1)?.task;
      const words = newest?.history?.map(({ parts }) => parts);
      // Each turn but the last asked back: its question stands in the history.
      expect(words).toHaveLength(2 * TURNS - 1);
      expect(words?.at(-1)).toEqual(text(`turn ${String(TURNS - 1)}`));
      expect(newest?.artifacts).toHaveLength(TURNS - 1);
      expect(newest?.status.state).toBe('TASK_STATE_SUBMITTED');
    }
  });
});
