import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  openSqliteEventStore,
  type SqliteEventStore,
} from '../../../src/event-store/sqlite/sqlite-event-store.js';
import { START, type RecordedEnvelope } from '../../../src/event-store/port.js';
import { effort } from '../../contracts/support/effort.js';
import { envelope, envelopes, freshStream } from '../../contracts/support/envelopes.js';
import { collect, idsOf, Reader, value } from '../../contracts/support/reading.js';

let folder: string;
let store: SqliteEventStore;
let other: SqliteEventStore;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-tail-'));
  store = await openSqliteEventStore(join(folder, 'events.db'));
  other = await openSqliteEventStore(join(folder, 'events.db'));
});

afterEach(async () => {
  await store.close();
  await other.close();
  await rm(folder, { recursive: true });
});

async function fill(through: SqliteEventStore, streams: number, events: number): Promise<void> {
  for (let n = 0; n < streams; n++) {
    value(await through.append(freshStream(), 'no-stream', envelopes(events)));
  }
}

describe('what is remembered of the log', () => {
  it('is never behind another store, however much that has written', async () => {
    const stream = freshStream();
    value(await store.append(stream, 'no-stream', envelopes(2)));
    expect(await store.readStream(stream, 2)).toEqual([]);
    for (const between of [0, 1, 300, 3_000]) {
      const [last] = (await store.readStream(stream)).slice(-1);
      await fill(other, 1, between + 1);
      const next = envelope();
      value(await other.append(stream, last?.revision ?? 0, [next]));
      expect(idsOf(await store.readStream(stream, (last?.revision ?? 0) + 1))).toEqual([next.id]);
    }
    expect(await store.readStream(stream)).toEqual(await other.readStream(stream));
  });

  it('is read again by whoever has heard of a later head, also within one turn', async () => {
    const stream = freshStream();
    const first = value(await store.append(stream, 'no-stream', envelopes(1)));
    const reader = new Reader(store.subscribeAll(START));
    await reader.untilCaughtUp();
    const file = new Database(join(folder, 'events.db'));
    const commit = file.prepare(
      `INSERT INTO events (stream, revision, type, id, body)
       SELECT stream, revision + 1, type, lower(hex(randomblob(16))), body FROM events
       ORDER BY position DESC LIMIT 1`,
    );
    // No turn of the event loop lies between the look, the commit and the questions.
    expect(await store.readStream(stream, 1)).toEqual([]);
    commit.run();
    expect((await store.head()) > first.position).toBe(true);
    expect(await collect(store.readAll(first.position))).toHaveLength(1);
    commit.run();
    await store.head();
    expect(await store.readStream(stream, 1)).toHaveLength(2);
    commit.run();
    await store.head();
    expect((await store.readLast(stream))?.revision).toBe(3);
    expect((await reader.untilCaughtUp()).events).toHaveLength(3);
    await reader.stop();
    file.close();
  });

  it('is what the file holds, however two stores take turns at writing', async () => {
    const stores = [store, other] as const;
    const streams = Array.from({ length: 5 }, () => freshStream());
    const heads = new Map<string, number>();
    let position = START;
    for (let turn = 0; turn < effort(400, 5_000); turn++) {
      const writer = stores[Math.random() < 0.7 ? 0 : 1];
      const stream = streams[Math.floor(Math.random() * streams.length)] ?? '';
      const head = heads.get(stream) ?? -1;
      const events = envelopes(1 + Math.floor(Math.random() * 3));
      // Every tenth finds another revision, and leaves nothing.
      const expected = turn % 10 === 9 ? head + 7 : head === -1 ? 'no-stream' : head;
      const appended = await writer.append(stream, expected, events);
      expect(appended.ok).toBe(turn % 10 !== 9);
      if (appended.ok) heads.set(stream, appended.value.revision);
      const newest = appended.ok ? events.map(({ id }) => id) : [];
      for (const reader of stores) {
        expect(idsOf(await reader.readStream(stream, head + 1))).toEqual(newest);
        expect(idsOf(await collect(reader.readAll(position)))).toEqual(newest);
      }
      position = appended.ok ? appended.value.position : position;
    }
    for (const stream of streams) {
      expect(await store.readStream(stream)).toEqual(await other.readStream(stream));
    }
  });

  it('lets a stream be read whose beginning is no longer remembered', async () => {
    const stream = freshStream();
    value(await store.append(stream, 'no-stream', envelopes(3)));
    await store.readStream(stream);
    for (let n = 0; n < 30; n++) {
      await fill(store, 1, 100);
      await store.readStream(stream, 3);
    }
    value(await store.append(stream, 2, envelopes(2)));
    const fresh = await openSqliteEventStore(join(folder, 'events.db'));
    for (let from = 0; from <= 5; from++) {
      expect(await store.readStream(stream, from)).toEqual(await fresh.readStream(stream, from));
    }
    await fresh.close();
  });

  it('holds few large events', async () => {
    const sealed = 'x'.repeat(1_000_000);
    const sent = Array.from({ length: 12 }, () => envelope({ sealed }));
    const stream = freshStream();
    for (const [index, event] of sent.entries()) {
      value(await store.append(stream, index === 0 ? 'no-stream' : index - 1, [event]));
      await store.readStream(stream, index);
    }
    expect(idsOf(await store.readStream(stream))).toEqual(idsOf(sent));
    expect(idsOf(await collect(store.readAll(START)))).toEqual(idsOf(sent));
  });

  it('is answered for after another store has written more than is kept', async () => {
    const stream = freshStream();
    value(await store.append(stream, 'no-stream', envelopes(2)));
    expect(await store.readStream(stream, 2)).toEqual([]);
    const sealed = 'x'.repeat(1_000_000);
    const sent = Array.from({ length: 8 }, () => envelope({ sealed }));
    for (const [index, event] of sent.entries()) {
      value(await other.append(stream, index + 1, [event]));
    }
    expect(idsOf(await store.readStream(stream, 2))).toEqual(idsOf(sent));
    expect((await store.readLast(stream))?.id).toBe(sent.at(-1)?.id);
    expect(await store.readStream(stream, 10)).toEqual([]);
  });

  it('is read in small pages where events are large, with a turn for others after each', async () => {
    const sealed = 'x'.repeat(1_200_000);
    const sent = Array.from({ length: 3 }, () => envelope({ sealed }));
    // All of it is remembered: it is less than what is kept.
    value(await store.append(freshStream(), 'no-stream', sent));
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    expect(idsOf(await collect(store.readAll(START)))).toEqual(idsOf(sent));
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(sent.length - 1);
  });

  it('answers as the file does, whoever writes and whatever is asked', async () => {
    const streams = Array.from({ length: 5 }, (_, n) => freshStream(n % 2 ? 'agent-' : 'card-'));
    const written: { stream: string; id: string; type: string }[] = [];
    const filter = { streamPrefixes: ['agent-'], types: ['thing-happened'] };
    const reader = new Reader(store.subscribeAll(START, { filter }));
    const delivered: RecordedEnvelope[] = [];
    let caughtUp = '';
    let random = 1;
    const pick = (below: number): number => {
      random = (random * 48_271) % 2_147_483_647;
      return random % below;
    };
    for (let step = 0; step < effort(400, 4_000); step++) {
      const stream = streams[pick(streams.length)] ?? '';
      const own = written.filter((event) => event.stream === stream);
      if (pick(3) === 0) {
        const types = ['thing-happened', 'other-thing-happened'];
        const events = Array.from({ length: 1 + pick(step % 50 === 0 ? 300 : 3) }, () =>
          envelope({ type: types[pick(2)] ?? '' }),
        );
        const through = pick(2) === 0 ? store : other;
        const expected = own.length === 0 ? 'no-stream' : own.length - 1;
        value(await through.append(stream, expected, events));
        written.push(...events.map(({ id, type }) => ({ stream, id, type })));
      } else {
        const from = pick(own.length + 2);
        expect(idsOf(await store.readStream(stream, from))).toEqual(idsOf(own.slice(from)));
      }
      if (pick(20) === 0 && caughtUp < (await store.head())) {
        const { events, position } = await reader.untilCaughtUp();
        delivered.push(...events);
        caughtUp = position;
      }
      const wanted = written.filter(
        ({ stream, type }) => stream.startsWith('agent-') && type === 'thing-happened',
      );
      expect(idsOf(delivered)).toEqual(idsOf(wanted.slice(0, delivered.length)));
    }
    await reader.stop();
    expect(idsOf(await collect(store.readAll(START)))).toEqual(idsOf(written));
  });
});
