import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { EventStore } from '../../../src/event-store/port.js';
import {
  openSqliteEventStore,
  type SqliteEventStore,
} from '../../../src/event-store/sqlite/sqlite-event-store.js';
import type { DeletableTestLog } from '../../contracts/event-store/fixture.js';

/**
 * What another process calls.
 * @public
 */
export function open(address: string): Promise<EventStore> {
  return openSqliteEventStore(address);
}

/** A log in one file of a fresh folder. */
export async function makeSqliteLog(): Promise<DeletableTestLog> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-events-'));
  const path = join(folder, 'events.db');
  const stores: SqliteEventStore[] = [];
  const openStore = async (): Promise<SqliteEventStore> => {
    const store = await openSqliteEventStore(path);
    stores.push(store);
    return store;
  };
  return {
    open: openStore,
    elsewhere: { module: import.meta.url, address: path },
    unsafeSettings: async () => {
      const { journalMode, synchronous } = (await openStore()).durability();
      return [
        ...(journalMode === 'wal' ? [] : [`journal_mode ${String(journalMode)}`]),
        ...(synchronous === 2 ? [] : [`synchronous ${String(synchronous)}`]),
      ];
    },
    interrupt: async () => {
      const rename = (from: string, to: string): void => {
        const database = new Database(path);
        database.exec(`ALTER TABLE ${from} RENAME TO ${to}`);
        database.close();
      };
      rename('streams', 'hidden');
      return async () => {
        rename('hidden', 'streams');
      };
    },
    dispose: async () => {
      for (const store of stores) await store.close();
      await rm(folder, { recursive: true });
    },
  };
}
