import type Database from 'better-sqlite3';

/** Milliseconds that the driver waits for another connection, and everything else meanwhile. */
export const BUSY_TIMEOUT_MS = 5_000;

/**
 * Writes SQLite's write-ahead log back into the file and empties it, without waiting for a reader of
 * another process; false when there is one.
 */
export function emptyWriteAheadLog(connection: Database.Database): boolean {
  connection.pragma('busy_timeout = 0');
  try {
    const [outcome] = connection.pragma('wal_checkpoint(TRUNCATE)') as [{ readonly busy: number }];
    return outcome.busy === 0;
  } finally {
    connection.pragma(`busy_timeout = ${String(BUSY_TIMEOUT_MS)}`);
  }
}
