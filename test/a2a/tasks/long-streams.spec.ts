import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { StoredTaskEvent } from '../../../src/a2a/tasks/domain/events.js';
import { taskStream } from '../../../src/a2a/tasks/domain/streams.js';
import type { TaskFold } from '../../../src/a2a/tasks/domain/task-fold.js';
import type { TaskEvent } from '../../../src/a2a/tasks/port.js';
import { TaskFeed } from '../../../src/a2a/tasks/task-feed.js';
import { TaskStreams } from '../../../src/a2a/tasks/task-streams.js';
import { watchTask } from '../../../src/a2a/tasks/watch-task.js';
import type { EventStore, RecordedEnvelope } from '../../../src/event-store/port.js';
import {
  openSqliteEventStore,
  type SqliteEventStore,
} from '../../../src/event-store/sqlite/sqlite-event-store.js';
import type { Uuid } from '../../../src/kernel/ids.js';
import { withMember } from '../../projections/support/with-member.js';
import { ANNA, HOSTED, message, text } from './support/fixtures.js';

/** More than several pages. */
const LINES = 200;
/** Events of a page at most: see `stream-pages.ts`. */
const A_PAGE = 32;

let folder: string;
let store: SqliteEventStore;
/** How many events each read of a stream has given. */
let reads: number[];
/** Told before each read of a stream. */
let onRead: (from: number) => Promise<void>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-long-tasks-'));
  store = await openSqliteEventStore(join(folder, 'tasks.db'));
  reads = [];
  onRead = async () => Promise.resolve();
});

afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

/** As a node that knows nothing of the store's tasks. */
function streams(): TaskStreams {
  const counted: EventStore = withMember(store, 'readStream', async (stream, from, limit) => {
    await onRead(from ?? 0);
    const events: readonly RecordedEnvelope[] = await store.readStream(stream, from, limit);
    reads.push(events.length);
    return events;
  });
  return new TaskStreams(
    counted,
    Date.now,
    () => randomUUID(),
    () => undefined,
  );
}

/** A task of which its handler has said so many lines, each an event. */
async function begin(id: Uuid, words: string, lines: number): Promise<TaskFold> {
  const sent = message({ parts: text(words) });
  const submitted: StoredTaskEvent = {
    type: 'task-submitted',
    data: { taskId: id, contextId: 'c', agentId: HOSTED, owner: ANNA, message: sent, digest: 'd' },
    texts: null,
  };
  const fold = await streams().append(id, undefined, [submitted, ...said(words, 0, lines)]);
  if (fold === undefined) throw new Error('it was there before');
  return fold;
}

async function goOn(id: Uuid, words: string, from: number, to: number): Promise<void> {
  const node = streams();
  const before = await node.load(id);
  await node.append(id, before?.fold, said(words, from, to));
}

function said(words: string, from: number, to: number): readonly StoredTaskEvent[] {
  return linesOf(words, to)
    .slice(from)
    .map((line, index): StoredTaskEvent => {
      const artifact = { artifactId: 'lines', parts: text(line) };
      const data = { artifact, append: from + index > 0, lastChunk: false };
      return { type: 'task-artifact-updated', data, texts: null };
    });
}

async function end(id: Uuid): Promise<void> {
  const last = await store.readLast(taskStream(id));
  if (last === undefined) throw new Error('it is not there');
  await store.deleteStreams(new Map([[taskStream(id), last.position]]));
}

const wordsOf = (fold: TaskFold | undefined): readonly unknown[] =>
  fold?.task.artifacts?.flatMap(({ parts }) => parts.map(({ text: words }) => words)) ?? [];

const linesOf = (words: string, lines: number): readonly string[] =>
  Array.from({ length: lines }, (_, line) => `${words} ${String(line)}`);

describe('a long task', () => {
  it('is folded page by page, and is what it would be as a whole', async () => {
    const id = randomUUID() as Uuid;
    const written = await begin(id, 'line', LINES);
    const loaded = await streams().load(id);
    expect(loaded?.fold).toEqual(written);
    expect(loaded?.position).toBe((await store.readLast(taskStream(id)))?.position);
    expect(Math.max(...reads)).toBeLessThanOrEqual(A_PAGE);
  });

  it('is folded as it was at any of its events, whatever is known of it', async () => {
    const id = randomUUID() as Uuid;
    await begin(id, 'line', LINES);
    const node = streams();
    for (const known of [false, true]) {
      if (known) await node.load(id);
      for (const upTo of [0, 1, 7, 8, 9, 100, LINES, LINES + 5]) {
        const fold = await node.loadWhile(id, ({ revision }) => revision <= upTo);
        expect(fold?.revision).toBe(Math.min(upTo, LINES));
        expect(wordsOf(fold)).toEqual(linesOf('line', Math.min(upTo, LINES)));
      }
      expect(await node.loadWhile(id, () => false)).toBeUndefined();
    }
    expect(Math.max(...reads)).toBeLessThanOrEqual(A_PAGE);
  });

  it('is read on from what is known, and no more is read than is asked for', async () => {
    const id = randomUUID() as Uuid;
    await begin(id, 'line', LINES);
    const node = streams();
    await node.load(id);
    reads = [];
    expect(await node.loadWhile(id, () => true)).toBeDefined();
    expect((await node.load(id))?.fold.revision).toBe(LINES);
    expect(reads).toEqual([1, 1]);
    for await (const [first] of node.pages(id, 100)) {
      expect(first?.revision).toBe(100);
      break;
    }
    expect(reads.slice(2)).toEqual([8]);
  });

  describe.each([
    ['deleted', undefined],
    ['deleted and begun anew, shorter', 3],
    ['deleted and begun anew, as long', LINES],
  ])('that is %s while it is read', (_, lines) => {
    it.each([
      ['nothing', 8],
      ['nothing', 56],
      ['its beginning', 12],
      ['its beginning', 60],
    ] as const)(
      'is told as it is now, where %s was known and event %i came next',
      async (known, next) => {
        const id = randomUUID() as Uuid;
        const node = streams();
        await begin(id, 'old', 5);
        if (known === 'its beginning') await node.load(id);
        await goOn(id, 'old', 5, LINES);
        let isDue = true;
        onRead = async (from) => {
          if (from < next || !isDue) return;
          isDue = false;
          await end(id);
          if (lines !== undefined) await begin(id, 'new', lines);
        };
        const loaded = await node.load(id);
        expect(isDue).toBe(false);
        expect(wordsOf(loaded?.fold)).toEqual(lines === undefined ? [] : linesOf('new', lines));
        expect(loaded === undefined).toBe(lines === undefined);
      },
    );
  });
});

describe('a task of many turns', () => {
  const TURNS = 60;
  const EVENTS_OF_A_TURN = 2;
  const FOREVER = new AbortController().signal;

  /** Each turn is a message and the question that it ends in; the last is the end. */
  async function manyTurns(id: Uuid): Promise<void> {
    const node = streams();
    const first = await begin(id, 'line', 0);
    const events = Array.from({ length: TURNS }, (_, nth): readonly StoredTaskEvent[] => {
      const state = nth === TURNS - 1 ? 'TASK_STATE_COMPLETED' : 'TASK_STATE_INPUT_REQUIRED';
      const asked = { state, message: null, metadata: null } as const;
      const sent = message({ parts: text('x'.repeat(40_000)) });
      return [
        { type: 'task-message-added', data: { message: sent, digest: 'd' }, texts: null },
        { type: 'task-status-changed', data: asked, texts: null },
      ];
    });
    await node.append(id, first, events.flat());
  }

  async function watched(node: TaskStreams, id: Uuid): Promise<readonly TaskEvent[]> {
    const feed = new TaskFeed(store, () => undefined);
    const events: TaskEvent[] = [];
    for await (const event of watchTask({ streams: node, feed }, id, 0, FOREVER, 'task')) {
      events.push(event);
    }
    await feed.close();
    return events;
  }

  const characters = (events: readonly TaskEvent[]): number => JSON.stringify(events).length;
  const newestTaskOf = (events: readonly TaskEvent[]): unknown =>
    events.flatMap(({ response }) => ('task' in response ? [response.task] : [])).at(-1);

  it('costs whoever resumes about what it holds, and not the square of it', async () => {
    const id = randomUUID() as Uuid;
    await manyTurns(id);
    const node = streams();
    reads = [];
    const events = await watched(node, id);
    expect(events).toHaveLength(TURNS * EVENTS_OF_A_TURN);
    const size = (await node.load(id))?.fold.weight ?? 0;
    expect(size).toBeGreaterThan(TURNS * 40_000);
    // Once for its events, and once for the task as it is.
    expect(characters(events)).toBeLessThan(2.2 * size);
    const read = reads.reduce((sum, count) => sum + count, 0);
    expect(read).toBeLessThan(6 * TURNS * EVENTS_OF_A_TURN);
  });

  it('is folded once for all who are shown it as its newest turn began', async () => {
    const id = randomUUID() as Uuid;
    await manyTurns(id);
    const node = streams();
    const all = await Promise.all(Array.from({ length: 10 }, async () => watched(node, id)));
    expect(new Set(all.map(newestTaskOf)).size).toBe(1);
    expect(new Set(all.map((events) => JSON.stringify(events))).size).toBe(1);
  });

  it('holds little of it for whoever takes long over an event', async () => {
    const id = randomUUID() as Uuid;
    await manyTurns(id);
    const node = streams();
    const sizes: number[] = [];
    let next = 1;
    for await (const part of node.parts(id, 1)) {
      for (const { event } of part) expect(event.revision).toBe(next++);
      sizes.push(JSON.stringify(part).length);
    }
    expect(next).toBe(1 + TURNS * EVENTS_OF_A_TURN);
    expect(Math.max(...sizes)).toBeLessThan(80_000);
  });
});
