import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TaskChange } from '../../../src/a2a/tasks/domain/task.js';
import type { Uuid } from '../../../src/kernel/ids.js';
import { ANNA, artifact, HOSTED, newTask, routed, text, WORKING } from './support/fixtures.js';
import { TaskDeployment, type TaskNode } from './support/task-node.js';

const ANSWER: TaskChange = { kind: 'answer', parts: text('42') };

let deployment: TaskDeployment;
/** Runs the turn. */
let here: TaskNode;
let there: TaskNode;

beforeAll(async () => {
  deployment = await TaskDeployment.open();
  here = await deployment.node('node-a');
  there = await deployment.node('node-b');
});

afterAll(async () => {
  await deployment.dispose();
});

interface Begun {
  readonly id: Uuid;
  readonly invocationId: Uuid;
  end(change?: TaskChange): Promise<string>;
}

/** A task whose handler has said nothing yet. */
async function begin(changes: readonly TaskChange[] = []): Promise<Begun> {
  const [id, invocationId] = [randomUUID() as Uuid, randomUUID() as Uuid];
  await here.tasks.submit(id, newTask({ changes: [routed(invocationId), ...changes] }));
  return {
    id,
    invocationId,
    end: async (change = ANSWER) => {
      const recorded = await here.tasks.record(id, invocationId, [change]);
      if (!recorded.ok) throw new Error(recorded.error.kind);
      return recorded.value.answer === null ? recorded.value.task.status.state : 'message';
    },
  };
}

const found = async (node: TaskNode, id: Uuid): Promise<boolean> =>
  (await node.tasks.find(ANNA, HOSTED, id)).ok;

const listed = async (node: TaskNode, id: Uuid): Promise<boolean> => {
  const list = await node.tasks.list(ANNA, HOSTED, { pageSize: 100 });
  if (!list.ok) throw new Error(list.error.code);
  return list.value.tasks.some((task) => task.id === id);
};

describe('a task whose turn may end in a message', () => {
  it('does, if nobody was shown it, and then nobody is', async () => {
    const { id, end } = await begin();
    expect(await end()).toBe('message');
    expect(await found(here, id)).toBe(false);
    expect(await found(there, id)).toBe(false);
    expect(await listed(there, id)).toBe(false);
  });

  it.each<readonly [string, (id: Uuid) => Promise<unknown>]>([
    ['found', async (id) => found(there, id)],
    ['listed', async (id) => listed(there, id)],
    [
      'given to whoever sent its message again',
      async (id) => {
        const stored = await there.tasks.load(id);
        return stored && (await there.tasks.show(stored)) !== undefined;
      },
    ],
    [
      'given a webhook',
      async (id) =>
        (await there.pushConfigs.set(ANNA, HOSTED, id, { url: 'http://127.0.0.1:9999/' })).ok,
    ],
  ])('ends as a task once another node has %s it', async (_, show) => {
    const { id, end } = await begin();
    expect(await show(id)).toBe(true);
    expect(await end()).toBe('TASK_STATE_COMPLETED');
    const after = await there.tasks.load(id);
    expect(after?.task.status.message?.parts).toEqual(text('42'));
    expect(await found(there, id)).toBe(true);
  });

  it('says nothing of being shown to those who watch it, and its state is what it was', async () => {
    const { id, end } = await begin();
    const told: string[] = [];
    const watching = (async () => {
      for await (const { response } of there.tasks.watch(
        id,
        undefined,
        new AbortController().signal,
      )) {
        told.push(Object.keys(response).join());
      }
    })();
    const shown = await there.tasks.find(ANNA, HOSTED, id);
    expect(shown.ok && shown.value.task.status.state).toBe('TASK_STATE_SUBMITTED');
    await found(there, id);
    expect((await there.tasks.load(id))?.revision).toBe(2);
    await end();
    await watching;
    expect(told).toEqual(['task', 'statusUpdate']);
  });

  it('is asked of its turn where that is under way, which writes nothing', async () => {
    const node = await deployment.node('node-c');
    const told: Uuid[] = [];
    let answer: boolean | undefined = true;
    node.tasks.turnsAre({
      show: (id) => {
        told.push(id);
        return answer;
      },
    });
    const { id } = await begin();
    expect(await found(node, id)).toBe(true);
    expect(await listed(node, id)).toBe(true);
    answer = false;
    expect(await found(node, id)).toBe(false);
    expect(await listed(node, id)).toBe(false);
    expect(told.filter((each) => each === id)).toHaveLength(4);
    expect((await node.tasks.load(id))?.isShown).toBe(false);
  });

  it('may not any more when its handler has spoken: nothing is written then', async () => {
    for (const said of [WORKING, artifact('a', 'x')]) {
      const { id, end } = await begin([said]);
      const { revision } = (await there.tasks.load(id)) ?? {};
      expect(await found(there, id)).toBe(true);
      expect((await there.tasks.load(id))?.revision).toBe(revision);
      expect(await end()).toBe('TASK_STATE_COMPLETED');
    }
  });

  it('is one thing for all, whoever wins the race of look and answer', async () => {
    for (let round = 0; round < 30; round++) {
      const { id, end } = await begin();
      const [how, isFound] = await Promise.all([end(), found(there, id)]);
      // Whoever saw it sees it again, and nobody sees an answer.
      if (isFound) expect(how).toBe('TASK_STATE_COMPLETED');
      expect(await found(there, id)).toBe(how !== 'message');
    }
  });
});
