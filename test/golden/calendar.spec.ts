import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { openSqliteEventStore } from '../../src/event-store/sqlite/sqlite-event-store.js';
import { CALENDAR_EVENT_TYPES, type NotedItem } from '../../src/processes/calendar-events.js';
import { Calendar } from '../../src/processes/calendar.js';
import { expectSchemasToHold, readStored, type StoredLog } from './stored-log.js';

const log = readStored<
  StoredLog & {
    /** By page: what is still to be done. */
    readonly pages: Readonly<Record<string, readonly NotedItem[]>>;
  }
>(new URL('./calendar.json', import.meta.url));

it('the log holds every type of event', () => {
  const types = new Set(log.events.map(({ type }) => type));
  expect([...types].sort()).toEqual(Object.keys(CALENDAR_EVENT_TYPES).sort());
});

it('matches the schemas of its events', () => {
  expectSchemasToHold(log, CALENDAR_EVENT_TYPES);
});

it('is read as the same pages', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'golden-calendar-'));
  const store = await openSqliteEventStore(join(folder, 'events.db'));
  for (const { stream, revision, ...envelope } of log.events) {
    await store.append(stream, revision === 0 ? 'no-stream' : revision - 1, [envelope]);
  }
  const writer = { name: 'erasure', node: 'node-c', clock: () => 0, random: randomBytes };
  const calendar = new Calendar(writer, store);
  await calendar.refresh();
  const pages = calendar.pagesUpTo('9999-12-31T23');
  const read = await Promise.all(
    pages.map(async (page) => [page, (await calendar.read(page, 0)).items] as const),
  );
  await store.close();
  rmSync(folder, { recursive: true });
  expect(Object.fromEntries(read)).toEqual(log.pages);
});
