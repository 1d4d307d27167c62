import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventsOfStream } from '../../../src/audit/replay/events-of-stream.js';
import {
  START,
  type EventStore,
  type Position,
  type RecordedEnvelope,
} from '../../../src/event-store/port.js';
import { openSqliteEventStore } from '../../../src/event-store/sqlite/sqlite-event-store.js';
import { envelopes, freshStream } from '../../contracts/support/envelopes.js';

const EVENTS = 1_000;
const stream = freshStream();
let folder: string;
let store: EventStore;
let own: readonly RecordedEnvelope[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-stream-'));
  store = await openSqliteEventStore(join(folder, 'events.db'));
  // Not contiguous: others write in between.
  for (let n = 0; n < EVENTS; n += 10) {
    await store.append(stream, n === 0 ? 'no-stream' : n - 1, envelopes(10));
    await store.append(freshStream(), 'no-stream', envelopes(3));
  }
  own = await store.readStream(stream);
});

afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** The store, with a count of the rows that it gave. */
function counted(): { readonly store: EventStore; readonly rows: () => number } {
  let rows = 0;
  const of = new Proxy(store, {
    get: (target, member) => {
      if (member === 'readStream') {
        return async (...asked: Parameters<EventStore['readStream']>) => {
          const events = await target.readStream(...asked);
          rows += events.length;
          return events;
        };
      }
      if (member === 'readLast') rows++;
      return (target[member as keyof EventStore] as () => unknown).bind(target);
    },
  });
  return { store: of, rows: () => rows };
}

async function some(after: Position, most: number, from = store): Promise<RecordedEnvelope[]> {
  const events: RecordedEnvelope[] = [];
  for await (const event of eventsOfStream(from, stream, after)) {
    events.push(event);
    if (events.length >= most) break;
  }
  return events;
}

describe('the events of a stream after a position', () => {
  it('are all that come later, wherever the position lies', async () => {
    const before = own[0]!.position;
    expect(await some(START, Infinity)).toEqual(own);
    for (const index of [0, 1, 9, 10, 63, 64, 500, EVENTS - 2, EVENTS - 1]) {
      expect(await some(own[index]!.position, Infinity)).toEqual(own.slice(index + 1));
    }
    // Of an event of another stream, and of what has not come yet.
    const between = String(Number(own[9]!.position) + 2).padStart(before.length, '0') as Position;
    expect(await some(between, Infinity)).toEqual(own.slice(10));
    expect(await some('9'.repeat(20) as Position, Infinity)).toEqual([]);
  });

  it('cost a reader of a few no more than a few rows, wherever it begins', async () => {
    for (const index of [0, 500, EVENTS - 20, EVENTS - 1]) {
      const { store: from, rows } = counted();
      expect(await some(own[index]!.position, 10, from)).toEqual(own.slice(index + 1, index + 11));
      // The newest, those of the search, and one page.
      expect(rows()).toBeLessThanOrEqual(1 + Math.ceil(Math.log2(EVENTS)) + 64);
    }
  });

  it('are none of a stream that is not there', async () => {
    const none: RecordedEnvelope[] = [];
    for (const after of [START, own[3]!.position]) {
      for await (const event of eventsOfStream(store, freshStream(), after)) none.push(event);
    }
    expect(none).toEqual([]);
  });
});
