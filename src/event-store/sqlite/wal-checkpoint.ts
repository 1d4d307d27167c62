import { setTimeout as delay } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { lockedTooLong, pauseBefore, untilFree } from './patience.js';

/** What `PRAGMA wal_checkpoint` answers. */
export interface CheckpointOutcome {
  /** 1 when somebody else's lock kept the log from being emptied. */
  readonly busy: number;
  /** Pages in the log; -1 when another checkpoint was under way, so that nothing was done. */
  readonly log: number;
}

/**
 * Flushes the write-ahead log, writes it back into the database file and empties it. Tries again
 * until so much of this has been possible as is enough.
 * @throws {EventStoreUnavailable} when the patience is at its end before.
 */
export async function checkpoint(
  database: Database.Database,
  patienceMs: number,
  isEnough: (outcome: CheckpointOutcome) => boolean,
): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (let tries = 0; ; tries++) {
    const [outcome] = await untilFree(
      patienceMs,
      () => database.pragma('wal_checkpoint(TRUNCATE)') as [CheckpointOutcome],
    );
    if (isEnough(outcome)) return;
    if (performance.now() >= deadline) throw lockedTooLong(patienceMs);
    await delay(pauseBefore(tries));
  }
}
