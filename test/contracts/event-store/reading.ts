import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  START,
  type EventFilter,
  type EventStore,
  type Position,
  type RecordedEnvelope,
} from '../../../src/event-store/port.js';
import { envelope, envelopes, freshStream } from '../support/envelopes.js';
import { collect, idsOf, positionsOf, readEverything, turnsDuring } from '../support/reading.js';
import type { LogFactory, TestLog } from './fixture.js';

/** More than a page of any adapter should hold. */
const EVENTS = 1_500;

export function describeReading(makeLog: LogFactory): void {
  let log: TestLog;
  let store: EventStore;
  let everything: readonly RecordedEnvelope[];

  beforeAll(async () => {
    log = await makeLog();
    store = await log.open();
    const prefixes = ['interaction-', 'agent-', 'interaction_', 'inter%-', 'process-'];
    const types = ['thing-happened', 'other-thing-happened', 'rare-thing-happened'];
    for (let n = 0; n < EVENTS; n += 15) {
      const rare = n === 900 ? 2 : n % 2;
      const batch = Array.from({ length: 15 }, (_, i) =>
        envelope({ type: types[i === 7 ? rare : i % 2] ?? '' }),
      );
      await store.append(freshStream(prefixes[(n / 15) % prefixes.length]), 'no-stream', batch);
    }
    everything = await readEverything(store);
  });

  afterAll(async () => {
    await log.dispose();
  });

  it('gives all events of all streams, in log order', () => {
    expect(everything).toHaveLength(EVENTS);
    expect(positionsOf(everything)).toEqual(positionsOf(everything).sort());
    expect(new Set(idsOf(everything)).size).toBe(EVENTS);
  });

  it('gives each stream in the order of its revisions, from any of them', async () => {
    const stream = everything[100]?.stream ?? '';
    const own = everything.filter((event) => event.stream === stream);
    expect(own.map(({ revision }) => revision)).toEqual(own.map((_, index) => index));
    for (let from = 0; from <= own.length; from++) {
      expect(await store.readStream(stream, from)).toEqual(own.slice(from));
    }
  });

  it.each([100, EVENTS - 1])(
    'gives no more of a stream than is asked for, also beyond its end: of event %i',
    async (index) => {
      const stream = everything[index]?.stream ?? '';
      const own = everything.filter((event) => event.stream === stream);
      const { length } = own;
      // One that knows nothing yet, and one that has read all of it.
      for (const each of [await log.open(), store]) {
        for (const from of [0, 1, 7, length - 1, length, length + 1, length + 20]) {
          for (const limit of [0, 1, 2, length - from, length - from + 1, length, 10 * EVENTS]) {
            if (limit < 0) continue;
            const given = await each.readStream(stream, from, limit);
            expect([from, limit, given]).toEqual([from, limit, own.slice(from, from + limit)]);
          }
          expect(await each.readStream(stream, from)).toEqual(own.slice(from));
        }
      }
    },
  );

  it('gives nothing for a stream that does not exist', async () => {
    expect(await store.readStream(freshStream())).toEqual([]);
    expect(await store.readStream(freshStream(), 3)).toEqual([]);
    expect(await store.readStream(freshStream(), 0, 1)).toEqual([]);
    expect(await store.readLast(freshStream())).toBeUndefined();
  });

  it.each([0, 1, 255, 256, 257, 512, 1_000, EVENTS - 1, EVENTS])(
    'begins right after a position: %i events on',
    async (count) => {
      const after = everything[count - 1]?.position ?? START;
      const rest = await collect(store.readAll(after));
      expect(idsOf(rest)).toEqual(idsOf(everything.slice(count)));
    },
  );

  const filters: readonly EventFilter[] = [
    { streamPrefixes: ['interaction-'] },
    { streamPrefixes: ['agent-', 'process-'] },
    { streamPrefixes: ['inter%-'] },
    { streamPrefixes: ['interaction_'] },
    { streamPrefixes: ['INTERACTION-'] },
    { streamPrefixes: [''] },
    { streamPrefixes: [] },
    { types: ['thing-happened'] },
    { types: ['rare-thing-happened'] },
    { types: ['thing', 'no-such-type'] },
    { types: [] },
    { streamPrefixes: ['interaction-', 'agent-'], types: ['other-thing-happened'] },
  ];
  it.each(filters)('gives what the filter %j lets through, and only that', async (filter) => {
    const { streamPrefixes, types } = filter;
    const expected = everything.filter(
      ({ stream, type }) =>
        (streamPrefixes?.some((prefix) => stream.startsWith(prefix)) ?? true) &&
        (types?.includes(type) ?? true),
    );
    expect(idsOf(await collect(store.readAll(START, filter)))).toEqual(idsOf(expected));
  });

  it('may be left in the middle, and begun again', async () => {
    for (let n = 0; n < 5; n++) {
      let seen = 0;
      for await (const event of store.readAll(START)) {
        expect(event.id).toBe(everything[seen++]?.id);
        if (seen === 300) break;
      }
      expect(seen).toBe(300);
    }
  });

  it('does not stand in the way of writers, however slow it is', async () => {
    const reading = store.readAll(START)[Symbol.asyncIterator]();
    await reading.next();
    const stream = freshStream();
    for (let n = 0; n < 20; n++) {
      const appended = await store.append(stream, n === 0 ? 'no-stream' : n - 1, envelopes(1));
      expect(appended.ok).toBe(true);
    }
    await reading.return?.();
  });

  it('takes the end of a part that was asked for for no end of the stream', async () => {
    const stream = freshStream();
    await store.append(stream, 'no-stream', envelopes(5));
    for (const [from, limit] of [
      [0, 2],
      [2, 1],
      [4, 1],
      [5, 1],
    ] as const) {
      const other = await log.open();
      await other.readStream(stream, from, limit);
      expect((await other.readStream(stream)).map(({ revision }) => revision)).toEqual([
        0, 1, 2, 3, 4,
      ]);
      expect((await other.readLast(stream))?.revision).toBe(4);
    }
  });

  it('gives the newest event of a stream', async () => {
    const fresh = await log.open();
    for (const index of [100, EVENTS - 1]) {
      const stream = everything[index]?.stream ?? '';
      const newest = everything.findLast((event) => event.stream === stream);
      for (const each of [store, fresh, fresh]) {
        expect(await each.readLast(stream)).toEqual(newest);
      }
    }
    const growing = freshStream();
    for (let n = 0; n < 3; n++) {
      const events = envelopes(2);
      await store.append(growing, n === 0 ? 'no-stream' : 2 * n - 1, events);
      for (const each of [fresh, store]) {
        expect((await each.readLast(growing))?.id).toBe(events[1]?.id);
      }
    }
  });

  it('lets the event loop turn between pages', async () => {
    expect(await turnsDuring(() => readEverything(store))).toBeGreaterThanOrEqual(3);
  });

  it('holds the positions that it gave, and none beyond its head or of another engine', async () => {
    const given = [START, ...positionsOf(everything.slice(0, 20)), await store.head()];
    expect(await Promise.all(given.map((each) => store.holds(each)))).toEqual(
      given.map(() => true),
    );
    const digits = (await store.head()).length;
    const others = [digits, 20, 40, 12].map((length) => '9'.repeat(length) as Position);
    const foreign = [
      ...others,
      (digits === 20 ? '0'.repeat(40) : '1'.padStart(20, '0')) as Position,
    ];
    expect(await Promise.all(foreign.map((each) => store.holds(each)))).toEqual(
      foreign.map(() => false),
    );
  });

  it('refuses what is no position', async () => {
    await expect(collect(store.readAll('12' as never))).rejects.toThrow(TypeError);
  });
}
