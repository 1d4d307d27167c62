import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EventStore } from '../../../src/event-store/port.js';
import { effort } from '../support/effort.js';
import { envelope, envelopes, freshStream } from '../support/envelopes.js';
import { idsOf, readEverything, value } from '../support/reading.js';
import { expectRepeated } from '../support/repeated.js';
import type { LogFactory, TestLog } from './fixture.js';

const MOVED = { ok: false, error: { code: 'basis-moved' } };

/** @param isAtomic the engine commits to several streams at once: no race is missed */
export function describeBasis(makeLog: LogFactory, isAtomic: boolean): void {
  let log: TestLog;
  let store: EventStore;
  let other: string;

  beforeEach(async () => {
    log = await makeLog();
    store = await log.open();
    other = freshStream();
    value(await store.append(other, 'no-stream', envelopes(2)));
  });

  afterEach(async () => {
    await log.dispose();
  });

  describe('the heads that an append rests on', () => {
    it('are those of any number of streams', async () => {
      const third = freshStream();
      value(await store.append(third, 'no-stream', [envelope()]));
      const stream = freshStream();
      const basis = { [other]: 1, [third]: 0 };
      value(await store.append(stream, 'no-stream', [envelope()], basis));
      value(await store.append(stream, 0, [envelope()], basis));
      expect(await store.readStream(stream)).toHaveLength(2);
    });

    it.each([
      ['has gone on', 0],
      ['was never there', 2],
    ])('refuse it when one of them %s', async (_, revision) => {
      const stream = freshStream();
      expect(await store.append(stream, 'no-stream', [envelope()], { [other]: revision })).toEqual(
        MOVED,
      );
      expect(await store.readStream(stream)).toEqual([]);
      const [event] = [envelope()];
      value(await store.append(stream, 'no-stream', [event], { [other]: 1 }));
      expect(await store.append(stream, 0, [envelope()], { [other]: revision })).toEqual(MOVED);
      expect(idsOf(await store.readStream(stream))).toEqual([event.id]);
    });

    it('refuse it when one of them is of no stream', async () => {
      const stream = freshStream();
      expect(
        await store.append(stream, 'no-stream', [envelope()], { [other]: 1, [freshStream()]: 0 }),
      ).toEqual(MOVED);
      expect(await store.readStream(stream)).toEqual([]);
    });

    it('say nothing of a conflict in its own stream, which is named first', async () => {
      const stream = freshStream();
      value(await store.append(stream, 'no-stream', [envelope()]));
      expect(await store.append(stream, 'no-stream', [envelope()], { [other]: 0 })).toEqual({
        ok: false,
        error: { code: 'append-conflict', actual: 0 },
      });
    });

    it('are not asked again of what was appended, whatever has happened since', async () => {
      const stream = freshStream();
      const events = envelopes(2);
      const first = await store.append(stream, 'no-stream', events, { [other]: 1 });
      value(await store.append(other, 1, [envelope()]));
      expectRepeated(await store.append(stream, 'no-stream', events, { [other]: 1 }), first);
    });

    it('are seen from every instance', async () => {
      const elsewhere = await log.open();
      value(await elsewhere.append(other, 1, [envelope()]));
      const stream = freshStream();
      expect(await store.append(stream, 'no-stream', [envelope()], { [other]: 1 })).toEqual(MOVED);
      value(await store.append(stream, 'no-stream', [envelope()], { [other]: 2 }));
    });

    it('are no stream that is appended to, and real revisions', async () => {
      const stream = freshStream();
      for (const basis of [{ [stream]: 0 }, { [other]: -1 }, { [other]: 0.5 }]) {
        await expect(store.append(stream, 'no-stream', [envelope()], basis)).rejects.toThrow(
          TypeError,
        );
      }
    });

    if (!isAtomic) return;

    it('are judged as the appends before it leave them, also when they share a flush', async () => {
      const [before, behind, free] = [freshStream(), freshStream(), freshStream()];
      const basis = { [other]: 1 };
      const outcomes = await Promise.all([
        store.append(before, 'no-stream', [envelope()], basis),
        store.append(other, 1, [envelope()]),
        store.append(behind, 'no-stream', [envelope()], basis),
        store.append(free, 'no-stream', [envelope()]),
      ]);
      expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, false, true]);
      expect(outcomes[2]).toEqual(MOVED);
    });

    it('make nobody wait behind one that came later to the same stream', async () => {
      const stream = freshStream();
      const outcomes = await Promise.all([
        store.append(other, 1, [envelope()]),
        store.append(stream, 'no-stream', [envelope()], { [other]: 2 }),
        store.append(stream, 'no-stream', [envelope()]),
      ]);
      expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, false]);
    });

    it('stand when its events come, whoever races', async () => {
      const mover = await log.open();
      const stores = [store, mover, await log.open()];
      let head = 1;
      const moving = (async () => {
        for (let n = 0; n < effort(60, 600); n++) {
          ({ revision: head } = value(await mover.append(other, head, [envelope()])));
        }
      })();
      const resting = stores.map(async (each, index) => {
        for (let n = 0; n < effort(60, 600); n++) {
          const rests = (await each.readLast(other))?.revision ?? NaN;
          const event = envelope({ data: { rests } });
          await each.append(`${freshStream()}-${String(index)}`, 'no-stream', [event], {
            [other]: rests,
          });
        }
      });
      await Promise.all([moving, ...resting]);
      let stands = -1;
      let count = 0;
      for (const { stream, revision, data } of await readEverything(store)) {
        if (stream === other) stands = revision;
        else {
          expect(data).toEqual({ rests: stands });
          count++;
        }
      }
      expect(count).toBeGreaterThan(0);
    });
  });
}
