import { readdir } from 'node:fs/promises';
import pg from 'pg';
import { auditedEngine } from './support/audited-engine.js';
import { freshDatabase } from './support/postgres-stores.js';

auditedEngine('postgres', async () => {
  const { url, stop } = await freshDatabase();
  // Keys and tasks are in it, too.
  return { env: { EVENT_STORE: url }, stop, files: () => tableFiles(url) };
});

/** Folder of the database's tables, without the write-ahead log; undefined on another machine. */
async function tableFiles(url: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('CHECKPOINT');
  const { rows } = await client.query<{ folder: string }>(
    `SELECT current_setting('data_directory') || '/base/' ||
      (SELECT oid FROM pg_database WHERE datname = current_database()) AS folder`,
  );
  await client.end();
  const folder = rows[0]?.folder ?? '';
  return readdir(folder).then(
    () => folder,
    () => undefined,
  );
}
