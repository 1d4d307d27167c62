import { StartupError } from '../config/startup-error.js';
import { removeDamaged } from '../projections/sqlite/damaged-file.js';
import { lockReadDatabase } from '../projections/sqlite/read-database-lock.js';
import { SqliteReadDatabase } from '../projections/sqlite/sqlite-read-database.js';
import type { Opened } from './opened.js';

/** A node that is being replaced gives its read database up when it stops, in milliseconds. */
const PATIENCE_MS = 15_000;

/**
 * Opens a read database for this process alone.
 * @param variable the setting that names the file, for the message
 * @throws {StartupError} when another process has it
 */
export async function openReadDatabase(
  variable: string,
  path: string,
  opened: Opened,
): Promise<SqliteReadDatabase> {
  const unlock = await lockReadDatabase(path, PATIENCE_MS);
  if (unlock === undefined) {
    throw new StartupError([
      `${variable} ${path} is in use by another process; each node keeps a read database of its own`,
    ]);
  }
  opened.onClose(unlock);
  // Nobody knows what was erased since it was set aside, if its process was killed.
  removeDamaged(path);
  const database = new SqliteReadDatabase(path);
  opened.onClose(() => {
    database.close();
  });
  return database;
}
