import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { START, type DeletableEventStore, type Position } from '../../../src/event-store/port.js';
import { envelope, envelopes, freshStream } from '../support/envelopes.js';
import { idsOf, Reader, readEverything } from '../support/reading.js';
import type { DeletableTestLog } from './fixture.js';

/** What a store promises that can forget streams: see `DeletableEventStore`. */
export function describeDeleting(makeLog: () => Promise<DeletableTestLog>): void {
  describe('deleting streams', () => {
    let log: DeletableTestLog;
    let store: DeletableEventStore;

    beforeEach(async () => {
      log = await makeLog();
      store = await log.open();
    });

    afterEach(async () => {
      await log.dispose();
    });

    async function appended(stream: string, count: number): Promise<Position> {
      const result = await store.append(stream, 'no-stream', envelopes(count));
      if (!result.ok) throw new Error('the stream was there');
      return result.value.position;
    }

    it('takes whole streams, and leaves all others as they are', async () => {
      const [kept, gone, other] = [freshStream(), freshStream(), freshStream()];
      const heads = new Map([[gone, await appended(gone, 3)]]);
      await appended(kept, 2);
      heads.set(other, await appended(other, 1));
      const before = await store.readStream(kept);

      expect(await store.deleteStreams(heads)).toEqual(new Set([gone, other]));
      expect(await store.readStream(gone)).toEqual([]);
      expect(await store.readStream(kept)).toEqual(before);
      expect(idsOf(await readEverything(store))).toEqual(idsOf(before));
    });

    it('leaves a stream that has moved on, or is not there', async () => {
      const [moved, gone] = [freshStream(), freshStream()];
      const head = await appended(moved, 2);
      await store.append(moved, 1, [envelope()]);
      const heads = new Map([
        [moved, head],
        [freshStream(), head],
        [gone, await appended(gone, 1)],
      ]);
      expect(await store.deleteStreams(heads)).toEqual(new Set([gone]));
      expect(await store.readStream(moved)).toHaveLength(3);
    });

    it('of several instances one deletes', async () => {
      const others = [store, await log.open(), await log.open()];
      const gone = freshStream();
      const heads = new Map([[gone, await appended(gone, 1)]]);
      const outcomes = await Promise.all(others.map(async (each) => each.deleteStreams(heads)));
      expect(outcomes.map(({ size }) => size).toSorted()).toEqual([0, 0, 1]);
    });

    it('is seen at once by an instance that has read what is gone', async () => {
      const other = await log.open();
      const [gone, again] = [freshStream(), freshStream()];
      const heads = new Map<string, Position>();
      for (const stream of [gone, again]) heads.set(stream, await appended(stream, 3));
      expect(await other.readStream(gone)).toHaveLength(3);
      expect(await other.readStream(again, 2)).toHaveLength(1);
      expect(await other.readLast(gone)).toBeDefined();
      await store.deleteStreams(heads);
      await appended(again, 1);
      expect(await other.readStream(gone)).toEqual([]);
      expect(await other.readLast(gone)).toBeUndefined();
      expect((await other.readLast(again))?.revision).toBe(0);
      expect(await other.readStream(again)).toHaveLength(1);
      expect(await other.readStream(again, 1)).toEqual([]);
      expect(await readEverything(other)).toHaveLength(1);
    });

    it('lets a name begin anew, at positions that were never given before', async () => {
      const [first, last] = [freshStream(), freshStream()];
      await appended(first, 1);
      const head = await appended(last, 2);
      await store.deleteStreams(new Map([[last, head]]));
      expect(await store.head()).toBe(head);

      const again = await appended(last, 1);
      expect(again > head).toBe(true);
      const [event] = await store.readStream(last);
      expect(event?.revision).toBe(0);
      // The stream that was judged is not the one that stands there now.
      expect(await store.deleteStreams(new Map([[last, head]]))).toEqual(new Set());
      expect(await store.readStream(last)).toHaveLength(1);
    });

    it('is no gap to subscriptions: what is left comes, in order, once', async () => {
      const streams = Array.from({ length: 30 }, () => freshStream());
      const heads = new Map<string, Position>();
      for (const stream of streams) heads.set(stream, await appended(stream, 20));
      const kept = streams.filter((_, index) => index % 3 === 0);
      for (const stream of kept) heads.delete(stream);
      await store.deleteStreams(heads);
      const left = idsOf(await readEverything(store));
      expect(left).toHaveLength(kept.length * 20);

      const reader = new Reader(store.subscribeAll(START));
      const news = envelope();
      await store.append(kept[0] ?? '', 19, [news]);
      expect(idsOf(await reader.events(left.length + 1))).toEqual([...left, news.id]);
      await reader.stop();
    });

    it('goes along with appends of the same moment', async () => {
      const gone = freshStream();
      const head = await appended(gone, 1);
      const streams = Array.from({ length: 40 }, () => freshStream());
      const [deleted, ...results] = await Promise.all([
        store.deleteStreams(new Map([[gone, head]])),
        ...streams.map(async (stream) => store.append(stream, 'no-stream', envelopes(2))),
      ]);
      expect(deleted).toEqual(new Set([gone]));
      expect(results.every(({ ok }) => ok)).toBe(true);
      expect(await readEverything(store)).toHaveLength(80);
    });

    it('deletes nothing when nothing is asked for', async () => {
      await appended(freshStream(), 1);
      expect(await store.deleteStreams(new Map())).toEqual(new Set());
      expect(await readEverything(store)).toHaveLength(1);
    });
  });
}
