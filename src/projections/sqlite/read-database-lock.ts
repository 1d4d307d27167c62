import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';

const POLL_MS = 100;

/**
 * Takes the read database for this process alone, by a lock on a file beside it (`<file>.lock`) that
 * the operating system gives back when the process ends, however it ends. Two processes that fed one
 * read database would each apply what the other has applied already.
 *
 * Waits while another process holds it, so that a new process may be started before the old one has
 * stopped.
 * @returns gives the lock back; undefined when it could not be had within `patienceMs`
 */
export async function lockReadDatabase(
  file: string,
  patienceMs: number,
): Promise<(() => void) | undefined> {
  const path = `${file}.lock`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Only a missing file: closing one that this process holds locked would give its lock away.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  const lock = new Database(path, { timeout: 0 });
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      lock.exec('BEGIN EXCLUSIVE');
      return () => {
        lock.close();
      };
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'SQLITE_BUSY') throw error;
    }
    if (performance.now() >= deadline) {
      lock.close();
      return undefined;
    }
    await delay(POLL_MS);
  }
}
