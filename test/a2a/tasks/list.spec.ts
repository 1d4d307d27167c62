import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ListTasksRequest, ListTasksResponse, Task } from '../../../src/a2a/wire/types.js';
import type { Uuid } from '../../../src/kernel/ids.js';
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
  SHARED,
  WORKING,
} from './support/fixtures.js';
import { TaskDeployment, type TaskNode } from './support/task-node.js';

let now = Date.parse('2030-01-01T00:00:00.000Z');
let deployment: TaskDeployment;
let node: TaskNode;

beforeEach(async () => {
  now = Date.parse('2030-01-01T00:00:00.000Z');
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

async function begin(overrides: Parameters<typeof newTask>[0] = {}): Promise<Begun> {
  const [id, invocationId] = [randomUUID() as Uuid, randomUUID() as Uuid];
  await node.tasks.submit(id, newTask({ changes: [routed(invocationId)], ...overrides }));
  return { id, invocationId };
}

async function list(request: ListTasksRequest = {}, owner = ANNA): Promise<ListTasksResponse> {
  const listed = await node.tasks.list(owner, HOSTED, request);
  if (!listed.ok) throw new Error(JSON.stringify(listed.error));
  return listed.value;
}

/** All pages of a sequence; something may happen between two of them. */
async function pages(
  request: ListTasksRequest,
  between: (page: number) => Promise<void> = () => Promise.resolve(),
): Promise<readonly (readonly Task[])[]> {
  const found: (readonly Task[])[] = [];
  for (let pageToken = ''; ;) {
    const page = await list({ ...request, pageToken });
    found.push(page.tasks);
    if (page.nextPageToken === '') return found;
    pageToken = page.nextPageToken;
    await between(found.length);
  }
}

const idsOf = (tasks: readonly Task[]): string[] => tasks.map(({ id }) => id);

describe('a list', () => {
  it('shows what was just written, the newest status first', async () => {
    const begun: Begun[] = [];
    for (let index = 0; index < 5; index++) {
      now += 1;
      begun.push(await begin());
    }
    now += 1;
    const [first] = begun;
    await node.tasks.record(first?.id ?? ('' as Uuid), first?.invocationId ?? ('' as Uuid), [
      WORKING,
    ]);
    const expected = [begun[0], ...begun.slice(1).reverse()].map((each) => each?.id);
    const { tasks, totalSize, nextPageToken, pageSize } = await list();
    expect(idsOf(tasks)).toEqual(expected);
    expect({ totalSize, nextPageToken, pageSize }).toEqual({
      totalSize: 5,
      nextPageToken: '',
      pageSize: 50,
    });
  });

  it('holds the tasks of one owner at one agent, and no turn that ended in a message', async () => {
    const mine = await begin();
    await begin({ owner: BERT });
    await begin({ agentId: OTHER_HOSTED });
    await begin({ owner: SHARED });
    const answered = await begin();
    await node.tasks.record(answered.id, answered.invocationId, [{ kind: 'answer', parts: [] }]);
    const { tasks, totalSize } = await list();
    expect(idsOf(tasks)).toEqual([mine.id]);
    expect(totalSize).toBe(1);
  });

  it('leaves artifacts out unless they are asked for, and cuts the history', async () => {
    const { id, invocationId } = await begin();
    await node.tasks.record(id, invocationId, [artifact('a', 'x'), COMPLETED]);
    const [plain] = (await list()).tasks;
    expect(plain).not.toHaveProperty('artifacts');
    expect(plain?.history).toHaveLength(2);
    const [withAll] = (await list({ includeArtifacts: true })).tasks;
    expect(withAll?.artifacts).toHaveLength(1);
    const [short] = (await list({ historyLength: 1 })).tasks;
    expect(short?.history).toEqual([withAll?.history?.[1]]);
    expect((await list({ historyLength: 0 })).tasks[0]).not.toHaveProperty('history');
  });

  it('filters by context, state and moment, and counts what it filters', async () => {
    const [a, b, c] = [
      await begin({ message: message({ contextId: 'x' }) }),
      await begin(),
      await begin(),
    ];
    now += 1000;
    await node.tasks.record(a.id, a.invocationId, [COMPLETED]);
    await node.tasks.record(b.id, b.invocationId, [ASKED]);
    expect(idsOf((await list({ contextId: 'x' })).tasks)).toEqual([a.id]);
    expect(idsOf((await list({ status: 'TASK_STATE_SUBMITTED' })).tasks)).toEqual([c.id]);
    const completed = await list({ status: 'TASK_STATE_COMPLETED', contextId: 'x', pageSize: 1 });
    expect(completed).toMatchObject({ totalSize: 1, pageSize: 1, nextPageToken: '' });
    expect((await list({ contextId: 'y' })).tasks).toEqual([]);

    const at = (statusTimestampAfter: string) => list({ statusTimestampAfter });
    expect((await at('2030-01-01T00:00:01.000Z')).totalSize).toBe(2);
    expect((await at('2030-01-01T00:00:01.001Z')).totalSize).toBe(0);
    expect((await at('2030-01-01T00:00:00.000Z')).totalSize).toBe(3);
  });
});

describe('pages (case 22)', () => {
  it('60 tasks of one moment: none is skipped or repeated', async () => {
    const begun = await Promise.all(Array.from({ length: 60 }, async () => begin()));
    const found = await pages({ pageSize: 7 });
    expect(found.map((page) => page.length)).toEqual([7, 7, 7, 7, 7, 7, 7, 7, 4]);
    expect(idsOf(found.flat()).toSorted()).toEqual(begun.map(({ id }) => id).toSorted());
  });

  it('tasks that change, come and end between two pages change nothing', async () => {
    const begun: Begun[] = [];
    for (let index = 0; index < 60; index++) {
      if (index % 10 === 0) now += 1;
      begun.push(await begin());
    }
    const before = idsOf((await pages({ pageSize: 100 })).flat());
    const found = await pages({ pageSize: 7, status: 'TASK_STATE_SUBMITTED' }, async (page) => {
      now += 1;
      await begin();
      // Of the page just seen, and of those to come.
      for (const id of [before[page * 7 - 1], before[page * 7], before[59 - page]]) {
        const each = begun.find((one) => one.id === id);
        if (each !== undefined) await node.tasks.record(each.id, each.invocationId, [COMPLETED]);
      }
    });
    expect(idsOf(found.flat())).toEqual(before);
    // As they were at the first page, whatever has become of them.
    for (const task of found.flat()) expect(task.status.state).toBe('TASK_STATE_SUBMITTED');
    const stamps = found.flat().map(({ status }) => status.timestamp);
    expect(stamps).toEqual(stamps.toSorted().reverse());
    expect((await list()).totalSize).toBe(60 + found.length - 1);
  });

  it('the row of the cursor is gone, and others of the pages to come', async () => {
    const begun = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const each = await begin();
        await node.tasks.record(each.id, each.invocationId, [COMPLETED]);
        return each;
      }),
    );
    const all = idsOf((await pages({ pageSize: 100 })).flat());
    const first = await list({ pageSize: 5 });
    await node.store.deleteStreams(
      new Map(
        await Promise.all(
          [all[4], all[5], all[19]].map(async (id) => {
            const events = await node.store.readStream(`task-${id ?? ''}`);
            return [`task-${id ?? ''}`, events.at(-1)!.position] as const;
          }),
        ),
      ),
    );
    const rest: Task[] = [];
    for (let pageToken = first.nextPageToken; pageToken !== '';) {
      const page = await list({ pageSize: 5, pageToken });
      rest.push(...page.tasks);
      pageToken = page.nextPageToken;
    }
    const gone = [all[4], all[5], all[19]];
    expect(idsOf(rest)).toEqual(all.slice(5).filter((id) => !gone.includes(id)));
    expect(begun).toHaveLength(20);
  });

  it('end exactly where the tasks end', async () => {
    for (let index = 0; index < 4; index++) await begin();
    expect((await pages({ pageSize: 2 })).map((page) => page.length)).toEqual([2, 2]);
    expect((await pages({ pageSize: 4 })).map((page) => page.length)).toEqual([4]);
    expect((await pages({ pageSize: 3 })).map((page) => page.length)).toEqual([3, 1]);
  });

  it('are shorter when the tasks are large', async () => {
    for (let index = 0; index < 5; index++) {
      await begin({ message: message({ parts: [{ text: 'x'.repeat(3 * 1024 * 1024) }] }) });
    }
    const found = await pages({ pageSize: 5 });
    expect(found.map((page) => page.length)).toEqual([3, 2]);
  });
});

describe('what is refused', () => {
  const refusal = async (request: ListTasksRequest, owner = ANNA) => {
    const listed = await node.tasks.list(owner, HOSTED, request);
    return listed.ok ? undefined : listed.error;
  };

  it('a page token of another list, of other filters, of another owner, or none at all', async () => {
    for (let index = 0; index < 3; index++) await begin();
    const { nextPageToken: pageToken } = await list({ pageSize: 1 });
    expect(pageToken).not.toBe('');
    const invalid = { error: 'InvalidParams', code: 'page-token-invalid' };
    expect(await refusal({ pageToken, contextId: 'x' })).toMatchObject(invalid);
    expect(await refusal({ pageToken }, BERT)).toMatchObject(invalid);
    expect(await refusal({ pageToken: `${pageToken}A` })).toMatchObject(invalid);
    expect(await refusal({ pageToken: 'x'.repeat(10_000) })).toMatchObject(invalid);
    expect(await refusal({ pageToken })).toBeUndefined();
  });

  it('a page token that is too old', async () => {
    for (let index = 0; index < 3; index++) await begin();
    const { nextPageToken: pageToken } = await list({ pageSize: 1 });
    now += 15 * 60_000;
    expect(await refusal({ pageToken })).toBeUndefined();
    now += 1;
    expect(await refusal({ pageToken })).toMatchObject({ code: 'page-token-expired' });
  });
});

it('says so when the view is behind', async () => {
  const slow = await deployment.node('node-slow', { readWaitMs: 30 });
  await begin();
  await slow.projections.stop();
  await begin();
  const listed = await slow.tasks.list(ANNA, HOSTED, {});
  expect(listed).toMatchObject({ error: { code: 'projection-behind' } });
});

describe('a page of a sequence that another node began', () => {
  const PAGE = { pageSize: 5 };

  it('says so while the view is behind the first page, instead of leaving tasks out', async () => {
    const slow = await deployment.node('node-slow', { readWaitMs: 30 });
    await begin();
    await slow.projections.waitFor(await slow.store.head(), 5000);
    await slow.projections.stop();
    for (let index = 0; index < 10; index++) await begin();
    const { nextPageToken: pageToken } = await list(PAGE);
    const listed = await slow.tasks.list(ANNA, HOSTED, { ...PAGE, pageToken });
    expect(listed).toMatchObject({ error: { error: 'Internal', code: 'projection-behind' } });
  });

  it('waits for the view, and shows every task once', async () => {
    const behind = await deployment.node('node-slow', { clock: () => now });
    const begun: Begun[] = [];
    for (let index = 0; index < 30; index++) begun.push(await begin());
    const found: string[] = [];
    for (let pageToken = '', turn = 0; turn === 0 || pageToken !== ''; turn++) {
      // One after the other: no node has seen the tasks that the other one began just now.
      const on = turn % 2 === 0 ? node : behind;
      const listed = await on.tasks.list(ANNA, HOSTED, { ...PAGE, pageToken });
      if (!listed.ok) throw new Error(listed.error.detail);
      found.push(...idsOf(listed.value.tasks));
      pageToken = listed.value.nextPageToken;
      await begin();
    }
    expect(found.toSorted()).toEqual(begun.map(({ id }) => id).toSorted());
  });

  it('is refused at once for a position that the log never had', async () => {
    for (let index = 0; index < 6; index++) await begin();
    const { nextPageToken } = await list(PAGE);
    const fresh = await TaskDeployment.open();
    try {
      const other = await fresh.node('node-a', { clock: () => now, readWaitMs: 60_000 });
      const listed = await other.tasks.list(ANNA, HOSTED, { ...PAGE, pageToken: nextPageToken });
      expect(listed).toMatchObject({ error: { code: 'page-token-invalid' } });
    } finally {
      await fresh.dispose();
    }
  });
});
