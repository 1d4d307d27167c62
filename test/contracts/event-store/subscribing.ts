import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  EventStoreUnavailable,
  START,
  type EventStore,
  type Position,
  type RecordedEnvelope,
} from '../../../src/event-store/port.js';
import { effort } from '../support/effort.js';
import { envelope, envelopes, freshStream } from '../support/envelopes.js';
import {
  idsOf,
  positionsOf,
  Reader,
  readEverything,
  turnsDuring,
  value,
  within,
} from '../support/reading.js';
import type { LogFactory, TestLog } from './fixture.js';

const PROMPT = 5_000;

export function describeSubscribing(makeLog: LogFactory): void {
  let log: TestLog;
  let store: EventStore;
  let readers: Reader[];

  beforeEach(async () => {
    log = await makeLog();
    store = await log.open();
    readers = [];
  });

  afterEach(async () => {
    for (const reader of readers) await reader.stop();
    await log.dispose();
  });

  function subscribe(...[after, options]: Parameters<EventStore['subscribeAll']>): Reader {
    const reader = new Reader(store.subscribeAll(after, options));
    readers.push(reader);
    return reader;
  }

  async function append(count: number, through = store): Promise<void> {
    value(await through.append(freshStream(), 'no-stream', envelopes(count)));
  }

  it('delivers what is there, says that it has caught up, then delivers what comes', async () => {
    await append(7);
    const reader = subscribe(START);
    const old = await reader.untilCaughtUp();
    expect(idsOf(old.events)).toEqual(idsOf(await readEverything(store)));
    expect(old.position).toBe(await store.head());
    await append(3);
    const fresh = await reader.untilCaughtUp();
    expect(fresh.events).toHaveLength(3);
    expect(fresh.position).toBe(await store.head());
  });

  it('says at once that it has caught up with an empty log', async () => {
    expect(await subscribe(START).next()).toEqual({ kind: 'caught-up', position: START });
  });

  it('begins right after its checkpoint, whichever that is', async () => {
    for (let n = 0; n < 4; n++) await append(5);
    const everything = await readEverything(store);
    for (let count = 0; count <= everything.length; count++) {
      const after = everything[count - 1]?.position ?? START;
      const reader = subscribe(after);
      const { events, position } = await reader.untilCaughtUp();
      expect(idsOf(events)).toEqual(idsOf(everything.slice(count)));
      expect(position).toBe(everything.at(-1)?.position);
      await reader.stop();
    }
  });

  it('loses and repeats nothing while writers write, across stops and starts', async () => {
    const other = await log.open();
    for (let n = 0; n < 20; n++) await append(20);
    const writers = [store, store, other, other].map(async (writer, index) => {
      for (let n = 0; n < effort(60, 600); n++) {
        await append(1 + ((n + index) % 3), writer);
        if (n % 7 === index) await delay(index);
      }
    });
    let total = Infinity;
    const written = Promise.all(writers).then(async () => {
      const everything = await readEverything(store);
      total = everything.length;
      return everything;
    });

    const seen: RecordedEnvelope[] = [];
    let after = START;
    for (let session = 0; seen.length < total; session++) {
      // A session ends after a moment or after so many messages: amid old events, amid new ones,
      // or while it waits.
      const abort = new AbortController();
      const timer = setTimeout(() => {
        abort.abort();
      }, session % 20);
      const reader = subscribe(after, { signal: abort.signal });
      for (let left = 1 + ((session * 37) % 250); left > 0; left--) {
        const message = await reader.next();
        if (message === undefined) break;
        if (message.kind === 'event') seen.push(message.event);
        after = message.kind === 'event' ? message.event.position : message.position;
      }
      clearTimeout(timer);
      await reader.stop();
    }
    const everything = await written;
    expect(positionsOf(seen)).toEqual(positionsOf(everything));
    expect(idsOf(seen)).toEqual(idsOf(everything));
  });

  it('gives every reader every event', async () => {
    const all = Array.from({ length: 8 }, () => subscribe(START));
    const received = Promise.all(all.map((reader) => reader.events(120)));
    for (let n = 0; n < 40; n++) await append(3);
    const everything = idsOf(await readEverything(store));
    for (const events of await received) expect(idsOf(events)).toEqual(everything);
  });

  it('hears of events that another instance appends', async () => {
    const other = await log.open();
    const reader = subscribe(START);
    await reader.untilCaughtUp();
    for (let n = 0; n < 3; n++) {
      const event = envelope();
      await other.append(freshStream(), 'no-stream', [event]);
      expect(idsOf(await within(PROMPT, reader.events(1)))).toEqual([event.id]);
    }
  });

  it('is pulled: a reader that pauses slows no writer down and then misses nothing', async () => {
    const slow = subscribe(START);
    await append(1);
    await slow.events(1);
    for (let n = 0; n < 30; n++) await append(20);
    const quick = subscribe(START);
    expect((await quick.untilCaughtUp()).events).toHaveLength(601);
    expect(await slow.events(600)).toHaveLength(600);
  });

  it('is pulled: it reads no further ahead than a little, also when events are large', async () => {
    const large = 'x'.repeat(200_000);
    const sent: string[] = [];
    for (let n = 0; n < effort(40, 120); n++) {
      // An engine may take no more than 1 MiB at once.
      const events = Array.from({ length: 5 }, () => envelope({ sealed: large }));
      await store.append(freshStream(), 'no-stream', events);
      sent.push(...idsOf(events));
    }
    const before = process.memoryUsage().rss;
    const waiting = Array.from({ length: 10 }, () => subscribe(START));
    await Promise.all(waiting.map((reader) => reader.events(1)));
    await delay(50);
    // Ten readers that each read everything would hold 400 MB.
    expect(process.memoryUsage().rss - before).toBeLessThan(250_000_000);
    const rest = await waiting[0]?.events(sent.length - 1);
    expect(idsOf(rest ?? [])).toEqual(sent.slice(1));
    expect(idsOf(await readEverything(store))).toEqual(sent);
    // 40 MB, read ten times over, beside other tests.
  }, 120_000);

  it('delivers what its filter lets through and counts the rest as read', async () => {
    const reader = subscribe(START, {
      filter: { streamPrefixes: ['agent-'], types: ['thing-happened'] },
    });
    await reader.untilCaughtUp();
    const wanted = envelope();
    await store.append(freshStream('agent-'), 'no-stream', [envelope({ type: 'else' }), wanted]);
    expect(idsOf(await reader.events(1))).toEqual([wanted.id]);
    await reader.untilCaughtUp();
    await store.append(freshStream('interaction-'), 'no-stream', envelopes(3));
    const { events, position } = await within(PROMPT, reader.untilCaughtUp());
    expect(events).toEqual([]);
    expect(position).toBe(await store.head());
  });

  it('never says that it has caught up before it has, nor twice at one position', async () => {
    const reader = subscribe(START);
    const writing = (async () => {
      for (let n = 0; n < 100; n++) {
        await append(1);
        if (n % 10 === 0) await delay(2);
      }
    })();
    let last = '';
    const claims: string[] = [];
    for (let events = 0; events < 100 || last !== claims.at(-1);) {
      const message = await reader.next();
      if (message?.kind === 'event') {
        events++;
        last = message.event.position;
      } else if (message !== undefined) {
        // Nothing is filtered: what it has caught up with is the last event that it delivered.
        if (last !== '') expect(message.position).toBe(last);
        claims.push(message.position);
      }
    }
    await writing;
    expect(new Set(claims).size).toBe(claims.length);
  });

  it('refuses to go on from a checkpoint that lies beyond the log', async () => {
    await append(2);
    const reader = subscribe(farBeyond(await store.head()));
    await expect(within(PROMPT, reader.next())).rejects.toThrow(EventStoreUnavailable);
  });

  describe('ends', () => {
    it('promptly when its signal aborts, also while it waits', async () => {
      const abort = new AbortController();
      const reader = subscribe(START, { signal: abort.signal });
      await reader.untilCaughtUp();
      const next = reader.next();
      await nextTurn();
      abort.abort();
      expect(await within(PROMPT, next)).toBeUndefined();
      expect(await reader.next()).toBeUndefined();
    });

    it('between two events of one page when its signal aborts there', async () => {
      await append(10);
      const abort = new AbortController();
      const reader = subscribe(START, { signal: abort.signal });
      await reader.events(4);
      abort.abort();
      expect(await within(PROMPT, reader.next())).toBeUndefined();
    });

    it('before it begins when its signal is aborted already', async () => {
      await append(1);
      expect(await subscribe(START, { signal: AbortSignal.abort() }).next()).toBeUndefined();
    });

    it('when the store is closed, also while it waits, and at once after that', async () => {
      const reader = subscribe(START);
      await reader.untilCaughtUp();
      const next = reader.next();
      await nextTurn();
      await within(PROMPT, store.close());
      expect(await within(PROMPT, next)).toBeUndefined();
      expect(await subscribe(START).next()).toBeUndefined();
    });

    it('when its reader returns while it waits', async () => {
      const reader = subscribe(START);
      await reader.untilCaughtUp();
      const next = reader.next();
      await nextTurn();
      await within(PROMPT, reader.stop());
      expect(await within(PROMPT, next)).toBeUndefined();
    });
  });

  it('outlives an interruption of the engine, begun before it or amid it', async () => {
    await append(5);
    const before = subscribe(START);
    await before.untilCaughtUp();
    const restore = await log.interrupt();
    const amid = subscribe(START);
    const received = amid.events(8);
    const receivedBefore = before.events(3);
    await delay(120);
    await expect(append(1)).rejects.toThrow(EventStoreUnavailable);
    await restore();
    await append(3);
    const everything = idsOf(await readEverything(store));
    expect(everything).toHaveLength(8);
    expect(idsOf(await within(2 * PROMPT, received))).toEqual(everything);
    expect(idsOf(await within(2 * PROMPT, receivedBefore))).toEqual(everything.slice(5));
  });

  it('sleeps while nothing happens', async () => {
    const waiting = Array.from({ length: 20 }, () => subscribe(START));
    await Promise.all(waiting.map((reader) => reader.untilCaughtUp()));
    const pulls = waiting.map((reader) => reader.next());
    await delay(50);
    const before = performance.eventLoopUtilization();
    await delay(500);
    // One reader that goes round and round makes this 1, however busy the machine is.
    expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.5);
    for (const reader of waiting) await reader.stop();
    await Promise.all(pulls);
  });

  it('lets the event loop turn between pages', async () => {
    for (let n = 0; n < 15; n++) await append(100);
    expect(await turnsDuring(() => subscribe(START).untilCaughtUp())).toBeGreaterThanOrEqual(3);
  });
}

/** A position of the same engine that its log will not reach: its first 20 digits count the most. */
function farBeyond(head: Position): Position {
  const beyond = BigInt(head.slice(0, 20)) + 1_000_000_000n;
  return (beyond.toString().padStart(20, '0') + head.slice(20)) as Position;
}
