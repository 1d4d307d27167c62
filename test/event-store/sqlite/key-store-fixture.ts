import { mkdtemp, rm } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KeyStore } from '../../../src/event-store/key-store.js';
import {
  openSqliteKeyStore,
  type SqliteKeyStore,
} from '../../../src/event-store/sqlite/sqlite-key-store.js';
import type { TestKeys } from '../../contracts/key-store/fixture.js';

/**
 * What another process calls.
 * @public
 */
export function open(address: string): Promise<KeyStore> {
  return openSqliteKeyStore(address, { randomBytes });
}

/** Keys in one file of a fresh folder. */
export async function makeSqliteKeys(): Promise<TestKeys> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-keys-'));
  const path = join(folder, 'keys.db');
  const stores: SqliteKeyStore[] = [];
  const openStore = async (): Promise<SqliteKeyStore> => {
    const store = await openSqliteKeyStore(path, { randomBytes });
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
    dispose: async () => {
      for (const store of stores) await store.close();
      await rm(folder, { recursive: true });
    },
  };
}
