import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDouble } from '../support/eventstoredb/double.js';
import { severalNodes } from './support/several-nodes.js';

severalNodes('eventstoredb, on the double', async () => {
  const double = await EventStoreDouble.start({ size: 3 });
  // Processes on one machine may share the file; nodes on several would need PostgreSQL.
  const folder = await mkdtemp(join(tmpdir(), 'countersign-e2e-keys-'));
  return {
    env: { EVENT_STORE: double.connectionString, KEY_STORE: `sqlite:${join(folder, 'keys.db')}` },
    stop: async () => {
      await double.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
});
