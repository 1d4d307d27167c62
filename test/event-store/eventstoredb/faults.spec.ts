import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  EventStoreUnavailable,
  START,
  type EventStore,
  type Position,
  type RecordedEnvelope,
} from '../../../src/event-store/port.js';
import {
  openEventStoreDb,
  type EventStoreDbOptions,
} from '../../../src/event-store/eventstoredb/eventstoredb-event-store.js';
import { envelope, envelopes, freshStream } from '../../contracts/support/envelopes.js';
import {
  collect,
  idsOf,
  Reader,
  readEverything,
  value,
  within,
} from '../../contracts/support/reading.js';
import { EventStoreDouble, type DoubleOptions } from '../../support/eventstoredb/double.js';

const PROMPT = 10_000;

describe('the EventStoreDB engine, when its connection is lost', () => {
  const ends: (() => Promise<void>)[] = [];

  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  async function start(options: DoubleOptions = {}): Promise<EventStoreDouble> {
    const double = await EventStoreDouble.start(options);
    ends.push(() => double.stop());
    return double;
  }

  async function open(
    double: EventStoreDouble,
    options: EventStoreDbOptions = {},
  ): Promise<EventStore> {
    const store = await openEventStoreDb(double.connectionString, {
      patienceMs: 4_000,
      ...options,
    });
    ends.push(() => store.close());
    return store;
  }

  /** Cuts the leader's wire the n-th time that a moment comes. */
  function cutAt(
    double: EventStoreDouble,
    moment: 'beforeApplied' | 'afterApplied' | 'sent',
    n = 1,
  ): void {
    let count = 0;
    const { moments } = double.leader;
    moments[moment] = () => {
      if (++count === n) double.leader.wire.cut();
    };
  }

  it.each(['beforeApplied', 'afterApplied'] as const)(
    'an append that loses it %s is stored once, and answered with its place',
    async (moment) => {
      const double = await start();
      const store = await open(double);
      const stream = freshStream();
      await store.append(stream, 'no-stream', envelopes(1));
      cutAt(double, moment);
      const events = envelopes(3);
      const { revision, position } = value(await store.append(stream, 0, events));
      const stored = await store.readStream(stream);
      expect(idsOf(stored.slice(1))).toEqual(idsOf(events));
      expect({ revision, position }).toEqual({ revision: 3, position: stored.at(-1)?.position });
    },
  );

  it('an append that stays unknown says so, and sent again gives the first result', async () => {
    const double = await start();
    const store = await open(double, { patienceMs: 300 });
    const stream = freshStream();
    const events = envelopes(2);
    double.leader.moments.afterApplied = () => double.leader.wire.cut();
    await expect(store.append(stream, 'no-stream', events)).rejects.toThrow(EventStoreUnavailable);
    double.leader.moments.afterApplied = undefined;
    expect(value(await store.append(stream, 'no-stream', events)).revision).toBe(1);
    expect(idsOf(await store.readStream(stream))).toEqual(idsOf(events));
  });

  it('a conflict stays one: another writer took the revision while the answer was lost', async () => {
    const double = await start();
    const [store, other] = [await open(double), await open(double)];
    const stream = freshStream();
    let isFirst = true;
    const theirs = envelope();
    double.leader.moments.beforeApplied = () => {
      if (!isFirst) return;
      isFirst = false;
      double.leader.wire.cut();
    };
    const ours = store.append(stream, 'no-stream', [envelope()]);
    while (isFirst) await delay(1);
    expect((await other.append(stream, 'no-stream', [theirs])).ok).toBe(!(await ours).ok);
    expect(await store.readStream(stream)).toHaveLength(1);
  });

  it('the repetition of an append that is not replicated yet waits for it', async () => {
    const double = await start({ replicationMs: 300, commitTimeoutMs: 400 });
    const store = await open(double);
    const [stream, events] = [freshStream(), envelopes(2)];
    const [first, second] = await Promise.all([
      store.append(stream, 'no-stream', events),
      store.append(stream, 'no-stream', events),
    ]);
    expect(second).toEqual(first);
    expect(await store.readStream(stream)).toHaveLength(2);
  });

  it('with the expected revision of now, the engine stores known ids once more', async () => {
    const double = await start();
    const store = await open(double);
    const [stream, events] = [freshStream(), envelopes(1)];
    await store.append(stream, 'no-stream', events);
    expect(value(await store.append(stream, 0, events)).revision).toBe(1);
    expect(idsOf(await store.readStream(stream))).toEqual([events[0]?.id, events[0]?.id]);
  });

  it.each([1, 2, 7, 40])(
    'a read that loses it after %i messages gives every event once',
    async (n) => {
      const double = await start();
      const store = await open(double);
      for (let i = 0; i < 30; i++) await store.append(freshStream(), 'no-stream', envelopes(3));
      const everything = idsOf(await readEverything(store));
      expect(everything).toHaveLength(90);
      cutAt(double, 'sent', n + 1);
      expect(idsOf(await readEverything(store))).toEqual(everything);
      cutAt(double, 'sent', n + 1);
      const some = { streamPrefixes: ['interaction-'] };
      expect(idsOf(await collect(store.readAll(START, some)))).toEqual(everything);
    },
  );

  it('a search for the head behind events of others goes on where it was, cut again and again', async () => {
    const double = await start();
    const store = await open(double);
    const { position } = value(await store.append(freshStream(), 'no-stream', envelopes(2)));
    for (let n = 0; n < 1_000; n++) double.log.writeForeign('of-others', 'x'.repeat(1_000));
    let sent = 0;
    let cuts = 0;
    double.leader.moments.sent = () => {
      // Each time before it would be there: whoever starts over never gets to the end.
      if (++sent % 300 !== 0) return;
      cuts++;
      double.leader.wire.cut();
    };
    expect(await store.head()).toBe(position);
    expect(cuts).toBeGreaterThan(2);
  });

  it.each([true, false])(
    'subscriptions lose and repeat nothing while it is cut at random (caught-up told: %s)',
    async (saysCaughtUp) => {
      const double = await start({ saysCaughtUp });
      const faults: unknown[] = [];
      const store = await open(double, { onFault: (fault) => faults.push(fault) });
      const writer = await open(double);
      const readers = [
        new Reader(store.subscribeAll(START)),
        new Reader(store.subscribeAll(START, { filter: { streamPrefixes: ['agent-'] } })),
      ] as const;
      let isWriting = true;
      const cutting = (async () => {
        while (isWriting) {
          await delay(20 + Math.random() * 120);
          double.leader.wire.cut();
        }
      })();
      const received = Promise.all([readers[0].events(300), readers[1].events(150)]);
      for (let n = 0; n < 100; n++) {
        const stream = freshStream(n % 2 === 0 ? 'agent-' : 'interaction-');
        value(await writer.append(stream, 'no-stream', envelopes(3)));
        if (n % 10 === 0) await delay(30);
      }
      isWriting = false;
      await cutting;
      const everything = await readEverything(store);
      const [all, agents] = await within(PROMPT, received);
      expect(idsOf(all)).toEqual(idsOf(everything));
      expect(idsOf(agents)).toEqual(
        idsOf(everything.filter(({ stream }) => stream.startsWith('agent-'))),
      );
      expect(faults.length).toBeGreaterThan(0);
      for (const reader of readers) await reader.stop();
    },
    60_000,
  );

  it('a filtered reader is told that it has caught up, also by a server that does not say so', async () => {
    for (const saysCaughtUp of [true, false]) {
      const double = await start({ saysCaughtUp });
      const store = await open(double);
      const [wanted] = [envelope()];
      await store.append(freshStream('agent-'), 'no-stream', [wanted]);
      await store.append(freshStream('interaction-'), 'no-stream', envelopes(3));
      const reader = new Reader(
        store.subscribeAll(START, { filter: { streamPrefixes: ['agent-'] } }),
      );
      const { events, position } = await within(PROMPT, reader.untilCaughtUp());
      expect(idsOf(events)).toEqual([wanted.id]);
      expect(position).toBe(await store.head());
      await reader.stop();
    }
  });

  it('a subscription that fell silent is begun anew', async () => {
    const double = await start();
    const faults: unknown[] = [];
    const store = await open(double, { onFault: (fault) => faults.push(fault), checkMs: 100 });
    const reader = new Reader(store.subscribeAll(START));
    await reader.untilCaughtUp();
    await store.append(freshStream(), 'no-stream', [envelope()]);
    await reader.untilCaughtUp();
    double.leader.silence();
    const event = envelope();
    await store.append(freshStream(), 'no-stream', [event]);
    expect(idsOf(await within(PROMPT, reader.events(1)))).toEqual([event.id]);
    expect(String(faults[0])).toContain('fell silent');
    await reader.stop();
  });

  it('a log that is shorter than it was ends the subscriptions', async () => {
    const double = await start();
    const store = await open(double);
    for (let n = 0; n < 4; n++) await store.append(freshStream(), 'no-stream', envelopes(2));
    const reader = new Reader(store.subscribeAll(START));
    await reader.untilCaughtUp();
    const next = reader.next();
    double.log.cutOff(3);
    double.leader.wire.cut();
    await expect(within(PROMPT, next)).rejects.toThrow(/before the reader's checkpoint/);
  });

  describe('in a cluster', () => {
    it('a follower sends it to the leader, also when the leader changes', async () => {
      const double = await start({ size: 3 });
      const store = await open(double);
      const reader = new Reader(store.subscribeAll(START));
      const sent: string[] = [];
      for (const leader of [0, 2, 1]) {
        double.elect(leader);
        for (let n = 0; n < 3; n++) {
          const events = envelopes(2);
          value(await store.append(freshStream(), 'no-stream', events));
          sent.push(...idsOf(events));
        }
      }
      expect(idsOf(await readEverything(store))).toEqual(sent);
      expect(idsOf(await within(PROMPT, reader.events(sent.length)))).toEqual(sent);
      await reader.stop();
    });

    it('it goes on when the leader is lost', async () => {
      const double = await start({ size: 3 });
      const store = await open(double);
      const reader = new Reader(store.subscribeAll(START));
      await reader.untilCaughtUp();
      await store.append(freshStream(), 'no-stream', [envelope()]);
      const restore = await double.leader.wire.block();
      double.elect(1);
      const event = envelope();
      value(await store.append(freshStream(), 'no-stream', [event]));
      expect((await within(PROMPT, reader.events(2))).at(-1)?.id).toBe(event.id);
      await restore();
      await reader.stop();
    });

    it('no rejection is left behind when all of it is away and discovery fails', async () => {
      const double = await start({ size: 3 });
      const connectionString = `${double.connectionString}&maxDiscoverAttempts=1&discoveryInterval=10`;
      const store = await openEventStoreDb(connectionString, { patienceMs: 500 });
      ends.push(() => store.close());
      const readers = Array.from({ length: 4 }, () => new Reader(store.subscribeAll(START)));
      for (const reader of readers) await reader.untilCaughtUp();
      const restores = await Promise.all(double.nodes.map(({ wire }) => wire.block()));
      const lost = await Promise.allSettled(
        Array.from({ length: 8 }, () => store.append(freshStream(), 'no-stream', [envelope()])),
      );
      for (const outcome of lost) {
        expect(outcome.status === 'rejected' && outcome.reason).toBeInstanceOf(
          EventStoreUnavailable,
        );
      }
      for (const restore of restores) await restore();
      const event = envelope();
      value(await store.append(freshStream(), 'no-stream', [event]));
      for (const reader of readers) {
        const ids = idsOf(await within(PROMPT, untilId(reader, event.id)));
        expect(ids.at(-1)).toBe(event.id);
        await reader.stop();
      }
    });
  });
});

async function untilId(reader: Reader, id: string): Promise<RecordedEnvelope[]> {
  const events: RecordedEnvelope[] = [];
  while (events.at(-1)?.id !== id) events.push(...(await reader.events(1)));
  return events;
}

describe('the EventStoreDB engine', () => {
  let double: EventStoreDouble;
  let store: EventStore;

  afterEach(async () => {
    await store.close();
    await double.stop();
  });

  it('sees nothing of the events of others, nor of the engine, and its head is its own', async () => {
    double = await EventStoreDouble.start();
    store = await openEventStoreDb(double.connectionString);
    expect(await store.head()).toBe(START);
    const { position } = value(await store.append(freshStream(), 'no-stream', envelopes(2)));
    for (let n = 0; n < 50; n++) double.log.writeForeign('interaction-of-others', 'thing-happened');
    expect(await store.head()).toBe(position);
    expect(await readEverything(store)).toHaveLength(2);
    const reader = new Reader(store.subscribeAll(START));
    const caughtUp = await reader.untilCaughtUp();
    expect([caughtUp.events.length, caughtUp.position]).toEqual([2, position]);
    await reader.stop();
  });

  it('refuses an append beyond the size that the engine takes, whole, and says how large that is', async () => {
    double = await EventStoreDouble.start({ maxAppendSize: 10_000 });
    store = await openEventStoreDb(double.connectionString);
    const stream = freshStream();
    const large = [envelope(), envelope({ sealed: 'x'.repeat(20_000) })];
    await expect(store.append(stream, 'no-stream', large)).rejects.toThrow(RangeError);
    expect(await store.readStream(stream)).toEqual([]);
  });

  it('names a damaged event, and reads past it where nobody asks for it', async () => {
    double = await EventStoreDouble.start();
    store = await openEventStoreDb(double.connectionString);
    double.log.writeForeign('countersign/agent-x', 'thing-happened');
    await store.append(freshStream('interaction-'), 'no-stream', [envelope()]);
    await expect(store.readStream('agent-x')).rejects.toThrow(/of agent-x is damaged/);
    await expect(readEverything(store)).rejects.toThrow(EventStoreUnavailable);
    const filter = { streamPrefixes: ['interaction-'] };
    expect(await collect(store.readAll(START, filter))).toHaveLength(1);
  });

  it('takes positions of its own alone', async () => {
    double = await EventStoreDouble.start();
    store = await openEventStoreDb(double.connectionString);
    const foreign = '00000000000000000007' as Position;
    expect(() => store.subscribeAll(foreign)).toThrow(TypeError);
    await expect(collect(store.readAll(foreign))).rejects.toThrow(TypeError);
    const notUuid = envelope({ id: 'event-1' });
    await expect(store.append(freshStream(), 'no-stream', [notUuid])).rejects.toThrow(TypeError);
  });
});
