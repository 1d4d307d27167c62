import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { NewEnvelope } from '../../../src/kernel/envelope.js';
import {
  EventStoreUnavailable,
  START,
  type EventStore,
  type ExpectedRevision,
} from '../../../src/event-store/port.js';
import { effort } from '../support/effort.js';
import { envelope, envelopes, freshStream } from '../support/envelopes.js';
import { idsOf, positionsOf, readEverything, value } from '../support/reading.js';
import { expectRepeated } from '../support/repeated.js';
import type { LogFactory, TestLog } from './fixture.js';

export function describeAppending(makeLog: LogFactory): void {
  let log: TestLog;
  let store: EventStore;

  beforeEach(async () => {
    log = await makeLog();
    store = await log.open();
  });

  afterEach(async () => {
    await log.dispose();
  });

  describe('what is appended', () => {
    it('is read back member for member, with its place', async () => {
      const stream = freshStream();
      const sent = [
        envelope({ sealed: 'c2VhbGVk', schemaVersion: 7 }),
        envelope({ sealed: '-_09AZaz' }),
        envelope({ data: { nested: { list: [1, -0.5, 'a\u0000b', null, true], empty: {} } } }),
      ];
      const { revision, position } = value(await store.append(stream, 'no-stream', sent));
      const stored = await store.readStream(stream);
      expect(stored).toEqual(
        sent.map((event, index) => ({
          ...event,
          stream,
          revision: index,
          position: stored[index]?.position,
        })),
      );
      expect({ revision, position }).toEqual({ revision: 2, position: stored[2]?.position });
    });

    it('is what it was at the call, whatever the caller does to its objects afterwards', async () => {
      const stream = freshStream();
      const data = { note: 'before' };
      const appended = store.append(stream, 'no-stream', [envelope({ data })]);
      data.note = 'after';
      await appended;
      expect((await store.readStream(stream))[0]?.data).toEqual({ note: 'before' });
    });

    it('may be large', async () => {
      const stream = freshStream();
      const sealed = 'x'.repeat(400_000);
      await store.append(stream, 'no-stream', [envelope({ sealed }), envelope({ sealed })]);
      expect((await store.readStream(stream)).map((event) => event.sealed?.length)).toEqual([
        400_000, 400_000,
      ]);
    });

    it.each([
      'constructor',
      '__proto__',
      'interaction-%',
      'interaction-_*',
      'agent-did:web:x.example',
      'capability-did:web:x.example/skill~1',
    ])('may go to a stream named %s', async (stream) => {
      const [event] = [envelope()];
      await store.append(stream, 'no-stream', [event]);
      expect(idsOf(await store.readStream(stream))).toEqual([event.id]);
      expect(await store.readStream(`${stream}x`)).toEqual([]);
      expect(await store.readStream(stream.slice(0, -1))).toEqual([]);
    });
  });

  describe('the expected revision', () => {
    const cases: readonly [length: number, expected: ExpectedRevision, actual: ExpectedRevision][] =
      [
        [0, 0, 'no-stream'],
        [0, 5, 'no-stream'],
        [1, 'no-stream', 0],
        [1, 1, 0],
        [3, 'no-stream', 2],
        [3, 0, 2],
        [3, 1, 2],
        [3, 3, 2],
      ];
    it.each(cases)(
      'of a stream with %i events is not %s: a conflict that names %s, and nothing stored',
      async (length, expected, actual) => {
        const stream = freshStream();
        const before = envelopes(length);
        if (length > 0) await store.append(stream, 'no-stream', before);
        expect(await store.append(stream, expected, envelopes(2))).toEqual({
          ok: false,
          error: { code: 'append-conflict', actual },
        });
        expect(idsOf(await store.readStream(stream))).toEqual(idsOf(before));
      },
    );

    it('lets exactly one of many racers win each revision', async () => {
      const stream = freshStream();
      const others = await Promise.all([log.open(), log.open(), log.open()]);
      const stores = [store, ...others];
      const racers = effort(32, 256);
      for (let round = 0; round < effort(8, 50); round++) {
        const expected = round === 0 ? 'no-stream' : round - 1;
        const outcomes = await Promise.all(
          Array.from({ length: racers }, (_, racer) =>
            (stores[racer % stores.length] ?? store).append(stream, expected, [envelope()]),
          ),
        );
        expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
        for (const outcome of outcomes) {
          if (!outcome.ok)
            expect(outcome.error).toEqual({ code: 'append-conflict', actual: round });
        }
      }
      const revisions = (await store.readStream(stream)).map(({ revision }) => revision);
      expect(revisions).toEqual(Array.from({ length: effort(8, 50) }, (_, index) => index));
    });

    it('is checked for each of the appends that share a flush: a conflict fails alone', async () => {
      const taken = freshStream();
      await store.append(taken, 'no-stream', [envelope()]);
      const streams = Array.from({ length: 100 }, () => freshStream());
      const outcomes = await Promise.all(
        streams.map((stream, index) =>
          store.append(index % 10 === 3 ? taken : stream, 'no-stream', [envelope()]),
        ),
      );
      expect(outcomes.map(({ ok }) => ok)).toEqual(streams.map((_, index) => index % 10 !== 3));
      expect(await store.readStream(taken)).toHaveLength(1);
    });

    it('is what a model of streams says, for any sequence of appends', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(arbitraryAppend, { maxLength: 30 }), async (appends) => {
          const names = Array.from({ length: 3 }, () => freshStream());
          const model = names.map((): string[] => []);
          for (const { which, size, distance } of appends) {
            const stored = model[which] ?? [];
            const after = stored.length - 1 + distance;
            if (after < -1) continue;
            const events = envelopes(size);
            const outcome = await store.append(
              names[which] ?? '',
              after === -1 ? 'no-stream' : after,
              events,
            );
            expect(outcome.ok).toBe(distance === 0);
            if (distance === 0) stored.push(...idsOf(events));
          }
          for (const [which, name] of names.entries()) {
            expect(idsOf(await store.readStream(name))).toEqual(model[which]);
          }
        }),
        { numRuns: effort(25, 500) },
      );
    });

    it.each([-1, 0.5, NaN])('is never %s', async (expected) => {
      await expect(store.append(freshStream(), expected, [envelope()])).rejects.toThrow(TypeError);
    });
  });

  describe('all or nothing', () => {
    it('holds for an append that cannot be written, and costs its neighbours nothing', async () => {
      const circular: Record<string, unknown> = {};
      circular['itself'] = circular;
      const bad = [envelope(), envelope(), envelope({ data: circular as never })];
      const [before, broken, after] = [freshStream(), freshStream(), freshStream()];
      const outcomes = await Promise.allSettled([
        store.append(before, 'no-stream', [envelope()]),
        store.append(broken, 'no-stream', bad),
        store.append(after, 'no-stream', [envelope()]),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(await store.readStream(broken)).toEqual([]);
      expect(await store.readStream(before)).toHaveLength(1);
      expect(await store.readStream(after)).toHaveLength(1);
    });

    it('makes an append without events a mistake of the caller', async () => {
      await expect(store.append(freshStream(), 'no-stream', [])).rejects.toThrow(TypeError);
    });
  });

  describe('case 24: sending the same events again at the same expected revision', () => {
    async function sendAgain(
      through: EventStore,
      followers: number,
      first: readonly NewEnvelope[] = envelopes(3),
    ): Promise<void> {
      const stream = freshStream();
      await store.append(stream, 'no-stream', envelopes(2));
      const result = await store.append(stream, 1, first);
      for (let n = 0; n < followers; n++) await store.append(stream, 4 + n, [envelope()]);
      const before = idsOf(await store.readStream(stream));
      expectRepeated(await through.append(stream, 1, first), result);
      expect(value(result).revision).toBe(4);
      expect(idsOf(await store.readStream(stream))).toEqual(before);
    }

    it('gives the first result and stores nothing', async () => {
      await sendAgain(store, 0);
    });

    it('gives the first result also after other events followed', async () => {
      await sendAgain(store, 5);
    });

    it('gives the first result through another instance', async () => {
      await sendAgain(await log.open(), 2);
    });

    it('gives both senders one result when the first is still under way', async () => {
      const stream = freshStream();
      const events = envelopes(2);
      const [first, second] = await Promise.all([
        store.append(stream, 'no-stream', events),
        store.append(stream, 'no-stream', events),
      ]);
      expectRepeated(second, first);
      expect(value(first).revision).toBe(1);
      expect(idsOf(await store.readStream(stream))).toEqual(idsOf(events));
    });

    it('is a conflict when only some of the ids are the same, or their order is not', async () => {
      const stream = freshStream();
      const [a, b] = [envelope(), envelope()];
      await store.append(stream, 'no-stream', [a, b]);
      const conflict = { ok: false, error: { code: 'append-conflict', actual: 1 } };
      expect(await store.append(stream, 'no-stream', [a, envelope()])).toEqual(conflict);
      expect(await store.append(stream, 'no-stream', [b, a])).toEqual(conflict);
      expect(await store.append(stream, 'no-stream', [a, b, envelope()])).toEqual(conflict);
      expect(await store.append(stream, 0, [a, b])).toEqual(conflict);
    });
  });

  describe('positions', () => {
    it('increase strictly with every append, and compare as text', async () => {
      const seen = [START];
      for (let n = 0; n < 12; n++) {
        seen.push(value(await store.append(freshStream(), 'no-stream', envelopes(n + 1))).position);
      }
      expect(seen).toEqual([...seen].sort());
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.every((position) => /^\d{20,40}$/.test(position))).toBe(true);
      // Of one length, which is what makes their texts comparable.
      expect(new Set(seen.slice(1).map(({ length }) => length)).size).toBe(1);
    });

    it('of the answers are those of the log', async () => {
      const appended = await Promise.all(
        Array.from({ length: 50 }, () => store.append(freshStream(), 'no-stream', [envelope()])),
      );
      const positions = appended.map((result) => value(result).position);
      expect([...positions].sort()).toEqual(positionsOf(await readEverything(store)));
    });

    it('have a head: START in an empty log, then the newest event', async () => {
      expect(await store.head()).toBe(START);
      const { position } = value(await store.append(freshStream(), 'no-stream', envelopes(3)));
      expect(await store.head()).toBe(position);
      expect(await (await log.open()).head()).toBe(position);
    });
  });

  describe('closing', () => {
    it('answers the appends under way first', async () => {
      const stream = freshStream();
      const appended = store.append(stream, 'no-stream', [envelope()]);
      await store.close();
      expect((await appended).ok).toBe(true);
      expect(await (await log.open()).readStream(stream)).toHaveLength(1);
    });

    it('makes every later call fail, and may be repeated', async () => {
      await store.close();
      await store.close();
      const calls: readonly Promise<unknown>[] = [
        store.append(freshStream(), 'no-stream', [envelope()]),
        store.readStream(freshStream()),
        store.head(),
        readEverything(store),
      ];
      for (const call of calls) await expect(call).rejects.toThrow(EventStoreUnavailable);
    });
  });
}

const arbitraryAppend = fc.record({
  which: fc.nat(2),
  size: fc.integer({ min: 1, max: 3 }),
  /** From the right expected revision. */
  distance: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: -3, max: 3 })),
});
