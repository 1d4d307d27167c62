import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EventStore } from '../../src/event-store/port.js';
import { openSqliteEventStore } from '../../src/event-store/sqlite/sqlite-event-store.js';
import type { InteractionId } from '../../src/kernel/ids.js';
import type { Timestamp } from '../../src/kernel/timestamp.js';
import { calendarStream, pageStream, type NotedItem } from '../../src/processes/calendar-events.js';
import { Calendar } from '../../src/processes/calendar.js';

const NAME = 'erasure';

let folder: string;
let store: EventStore;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'calendar-'));
  store = await openSqliteEventStore(join(folder, 'events.db'));
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

function calendarOf(node = 'node-a', on = store): Calendar {
  return new Calendar({ name: NAME, node, clock: () => 0, random: randomBytes }, on);
}

const item = (id: number, dueAt: string): NotedItem => ({
  interactionId: `interaction-${String(id)}` as InteractionId,
  dueAt: dueAt as Timestamp,
  eventId: 'event',
  correlationId: 'correlation',
});

/** Everything on a page, part by part. */
async function everything(calendar: Calendar, page: string) {
  const items: NotedItem[] = [];
  let parts = 0;
  let next = 0;
  for (;;) {
    const part = await calendar.read(page, next);
    items.push(...part.items);
    ({ next } = part);
    parts++;
    if (part.isEnd) return { items, next, parts };
  }
}

describe('a calendar', () => {
  it('tells every node on which pages there is something, hour by hour', async () => {
    const items = [
      item(1, '2030-01-31T14:59:59.999Z'),
      item(2, '2030-01-31T15:00:00.000Z'),
      item(3, '2030-01-31T14:00:00.000Z'),
    ];
    expect(await calendarOf().note(items)).toEqual([
      { page: '2030-01-31T14', noted: [items[0], items[2]] },
      { page: '2030-01-31T15', noted: [items[1]] },
    ]);
    const other = calendarOf('node-b');
    expect(other.pagesUpTo('2040-01-01T00')).toEqual([]);
    await other.refresh();
    expect(other.pagesUpTo('2030-01-31T13')).toEqual([]);
    expect(other.pagesUpTo('2030-01-31T14')).toEqual(['2030-01-31T14']);
    expect(other.pagesUpTo('2040-01-01T00')).toEqual(['2030-01-31T14', '2030-01-31T15']);
    expect((await everything(other, '2030-01-31T14')).items).toEqual([items[0], items[2]]);
    expect((await everything(other, '2030-01-31T15')).items).toEqual([items[1]]);
  });

  it('is read in parts, however much one page holds', async () => {
    const dueAt = '2030-01-31T14:00:00.000Z';
    const many = Array.from({ length: 2_345 }, (_, index) => item(index, dueAt));
    const calendar = calendarOf();
    await calendar.note(many);
    await calendar.note(many.slice(0, 1));
    const { items, parts } = await everything(calendar, '2030-01-31T14');
    expect(items).toEqual([...many, many[0]]);
    expect(parts).toBeGreaterThan(2);
    // One announcement, whatever is noted.
    expect(await store.readStream(calendarStream(NAME))).toHaveLength(1);
  });

  it('closes no page on which something was noted since it was read', async () => {
    const page = '2030-01-31T14';
    const [first, second] = [item(1, `${page}:00:00.000Z`), item(2, `${page}:00:00.000Z`)];
    const [mine, other] = [calendarOf(), calendarOf('node-b')];
    await mine.note([first]);
    const { next } = await everything(mine, page);
    await other.note([second]);
    expect(await mine.close(page, next)).toBe(false);
    expect(mine.pagesUpTo(page)).toEqual([page]);
    const again = await mine.read(page, next);
    expect(again.items).toEqual([second]);
    expect(await mine.close(page, again.next)).toBe(true);
    expect(mine.pagesUpTo(page)).toEqual([]);
  });

  it('notes nothing on a page that is closed, and says so', async () => {
    const page = '2030-01-31T14';
    const [mine, other] = [calendarOf(), calendarOf('node-b')];
    await mine.note([item(1, `${page}:00:00.000Z`)]);
    await other.refresh();
    await mine.close(page, (await everything(mine, page)).next);
    const [late, open] = [item(2, `${page}:59:59.000Z`), item(3, '2030-01-31T15:00:00.000Z')];
    expect(await other.note([late, open])).toEqual([
      { page, noted: [] },
      { page: '2030-01-31T15', noted: [open] },
    ]);
    expect((await everything(other, page)).items).toHaveLength(1);
  });

  it.each(['before', 'after'] as const)(
    'a page whose closing was cut off %s it was written is closed by the next who reads it',
    async (when) => {
      const page = '2030-01-31T14';
      await calendarOf().note([item(1, `${page}:00:00.000Z`)]);
      const dying = calendarOf('node-a', dyingAt(when));
      await dying.refresh();
      const { next } = await everything(dying, page);
      await expect(dying.close(page, next)).rejects.toThrow('killed');
      const heir = calendarOf('node-b');
      await heir.refresh();
      expect(heir.pagesUpTo(page)).toEqual([page]);
      const read = await everything(heir, page);
      expect(read.items).toHaveLength(1);
      expect(await heir.close(page, read.next)).toBe(true);
      const types = (await store.readStream(pageStream(NAME, page))).map(({ type }) => type);
      expect(types).toEqual(['calendar-entries-noted', 'calendar-page-closed']);
      const index = (await store.readStream(calendarStream(NAME))).map(({ type }) => type);
      expect(index).toEqual(['calendar-pages-begun', 'calendar-page-done']);
    },
  );

  it('of many nodes that note and close at once loses nothing', async () => {
    const pages = ['2030-01-31T14', '2030-01-31T15'];
    const nodes = ['a', 'b', 'c', 'd'].map((node) => calendarOf(node));
    const noted = new Set<string>();
    const done = new Set<string>();
    await Promise.all(
      nodes.map(async (calendar, n) => {
        for (let round = 0; round < 15; round++) {
          const page = pages[(n + round) % 2] ?? '';
          const one = item(100 * n + round, `${page}:00:00.000Z`);
          const [outcome] = await calendar.note([one]);
          if (outcome?.noted.includes(one)) noted.add(one.interactionId);
          if (round % 5 !== 4) continue;
          const { items, next } = await everything(calendar, page);
          if (await calendar.close(page, next)) {
            for (const { interactionId } of items) done.add(interactionId);
          }
        }
      }),
    );
    const last = calendarOf('last');
    await last.refresh();
    for (const page of last.pagesUpTo('2040-01-01T00')) {
      for (const { interactionId } of (await everything(last, page)).items) {
        done.add(interactionId);
      }
    }
    expect(noted.size).toBeGreaterThan(0);
    expect([...noted].filter((id) => !done.has(id))).toEqual([]);
  });
});

/** The store of a node that dies as it appends to a page, or right after. */
function dyingAt(when: 'before' | 'after'): EventStore {
  return new Proxy(store, {
    get: (target, member) => {
      if (member !== 'append')
        return (target[member as keyof EventStore] as () => unknown).bind(target);
      return async (...given: Parameters<EventStore['append']>) => {
        if (when === 'after') await target.append(...given);
        throw new Error('killed');
      };
    },
  });
}
