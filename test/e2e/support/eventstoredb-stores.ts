import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDouble } from '../../support/eventstoredb/double.js';
import { freshDatabase } from './postgres-stores.js';
import type { SharedStores } from './several-nodes.js';

/** A cluster of the double's. Processes on one machine may share the file of keys. */
export async function eventStoreDbDouble(): Promise<SharedStores> {
  const double = await EventStoreDouble.start({ size: 3 });
  const folder = await mkdtemp(join(tmpdir(), 'countersign-e2e-keys-'));
  return {
    env: { EVENT_STORE: double.connectionString, KEY_STORE: `sqlite:${join(folder, 'keys.db')}` },
    // Of the keys: the double has no files.
    files: () => Promise.resolve(folder),
    stop: async () => {
      await double.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A cluster of the double's, keys and tasks in PostgreSQL: as several machines have it (docs/engines.md). */
export async function eventStoreDbDoubleAndPostgres(): Promise<SharedStores> {
  const { url, stop } = await freshDatabase();
  const double = await EventStoreDouble.start({ size: 3 });
  return {
    env: { EVENT_STORE: double.connectionString, KEY_STORE: url, TASK_STORE: url },
    stop: async () => {
      await double.stop();
      await stop();
    },
  };
}
