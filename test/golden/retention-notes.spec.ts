import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { openSqliteEventStore } from '../../src/event-store/sqlite/sqlite-event-store.js';
import type { InteractionId } from '../../src/kernel/ids.js';
import { RETENTION_EVENT_TYPES } from '../../src/processes/retention-events.js';
import { RetentionNotes } from '../../src/processes/retention-notes.js';
import { expectSchemasToHold, readStored, type StoredLog } from './stored-log.js';

const log = readStored<
  StoredLog & {
    /** By interaction. */
    readonly days: Readonly<Record<InteractionId, number>>;
  }
>(new URL('./retention-notes.json', import.meta.url));

it('the log holds every type of event', () => {
  const types = new Set(log.events.map(({ type }) => type));
  expect([...types]).toEqual(Object.keys(RETENTION_EVENT_TYPES));
});

it('matches the schemas of its events', () => {
  expectSchemasToHold(log, RETENTION_EVENT_TYPES);
});

it('is read as the same days, and the first note stays', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'golden-retention-'));
  const store = await openSqliteEventStore(join(folder, 'events.db'));
  for (const { stream, revision: _, ...envelope } of log.events) {
    await store.append(stream, 'no-stream', [envelope]);
  }
  const writer = { name: 'erasure', node: 'node-c', clock: () => 0, random: randomBytes };
  const notes = new RetentionNotes(writer, store);
  const read = await Promise.all(
    (Object.keys(log.days) as InteractionId[]).map(async (id) => {
      await notes.note(id, 1);
      return [id, await notes.find(id)] as const;
    }),
  );
  const other = await notes.find('00000000-0000-4000-8000-000000000000' as InteractionId);
  await store.close();
  rmSync(folder, { recursive: true });
  expect(Object.fromEntries(read)).toEqual(log.days);
  expect(other).toBeNull();
});
