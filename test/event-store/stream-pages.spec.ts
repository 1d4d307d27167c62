import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EventStore } from '../../src/event-store/port.js';
import { openSqliteEventStore } from '../../src/event-store/sqlite/sqlite-event-store.js';
import { streamPages } from '../../src/event-store/stream-pages.js';
import { envelope, envelopes, freshStream } from '../contracts/support/envelopes.js';
import { collect, idsOf, value } from '../contracts/support/reading.js';

const MIB = 1024 * 1024;

let folder: string;
let store: EventStore;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-pages-'));
  store = await openSqliteEventStore(join(folder, 'events.db'));
});

afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

/** A stream of its own: sealed texts and data of these lengths. */
async function filled(
  ...lengths: readonly (readonly [sealed: number, data: number])[]
): Promise<string> {
  const stream = freshStream();
  const events = lengths.map(([sealed, data]) =>
    envelope({ sealed: 'x'.repeat(sealed), data: { text: 'y'.repeat(data) } }),
  );
  value(await store.append(stream, 'no-stream', events));
  return stream;
}

const times = <T>(count: number, item: T): readonly T[] =>
  Array.from({ length: count }, () => item);

describe('the pages of a stream', () => {
  it('are all that a whole read gives, from anywhere, to anywhere', async () => {
    const stream = freshStream();
    const sent = envelopes(200);
    value(await store.append(stream, 'no-stream', sent));
    for (const from of [0, 1, 7, 8, 150, 199, 200, 300]) {
      for (const count of [0, 1, 8, 9, 100, 1_000, undefined]) {
        const limits = count === undefined ? {} : { count };
        const pages = await collect(streamPages(store, stream, from, limits));
        const end = count === undefined ? undefined : from + count;
        expect(idsOf(pages.flat())).toEqual(idsOf(sent.slice(from, end)));
        expect(pages.every((page) => page.length > 0)).toBe(true);
      }
    }
    expect(await collect(streamPages(store, freshStream()))).toEqual([]);
  });

  it.each([
    ['large texts', times(60, [100_000, 0] as const)],
    ['large data', times(60, [0, 100_000] as const)],
    ['events that grow', Array.from({ length: 60 }, (_, n) => [n * 5_000, 0] as const)],
    ['one among small ones', [...times(50, [0, 0] as const), [3 * MIB, 0] as const]],
  ])('of %s are few events each', async (_, lengths) => {
    const stream = await filled(...lengths);
    const largest = Math.max(...lengths.map(([sealed, data]) => sealed + data));
    let given = 0;
    for await (const page of streamPages(store, stream)) {
      given += page.length;
      expect(page.length).toBeLessThanOrEqual(32);
      expect(JSON.stringify(page).length).toBeLessThan(MIB + 2 * largest);
    }
    expect(given).toBe(lengths.length);
  });

  it('are read when they are asked for, and not before', async () => {
    const stream = freshStream();
    value(await store.append(stream, 'no-stream', envelopes(500)));
    let given = 0;
    const counted: Pick<EventStore, 'readStream'> = {
      readStream: async (...asked) => {
        const events = await store.readStream(...asked);
        given += events.length;
        return events;
      },
    };
    let taken = 0;
    for await (const page of streamPages(counted, stream)) {
      taken += page.length;
      expect(given).toBe(taken);
      if (taken > 100) break;
    }
    expect(given).toBeLessThan(150);
  });

  it('leave others their turn in between', async () => {
    const stream = freshStream();
    value(await store.append(stream, 'no-stream', envelopes(500)));
    let turns = 0;
    let isOver = false;
    const other = (): void => {
      turns++;
      if (!isOver) setImmediate(other);
    };
    setImmediate(other);
    const pages = await collect(streamPages(store, stream));
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(pages.length - 1);
  });
});
