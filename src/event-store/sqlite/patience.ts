import { setTimeout as delay } from 'node:timers/promises';
import { EventStoreUnavailable } from '../port.js';
import { asUnavailable, isBusy } from './faults.js';

/** How long a call waits for other processes before it gives up, in milliseconds. */
export const PATIENCE_MS = 5_000;

/** Milliseconds before the n-th further try (from 0): short at first, since commits are short. */
export function pauseBefore(attempt: number): number {
  return Math.min(2 ** attempt, 16);
}

export function lockedTooLong(patienceMs: number): EventStoreUnavailable {
  return new EventStoreUnavailable(
    `another process has held the database's lock for ${String(patienceMs)} ms`,
  );
}

/**
 * Does something that another process's lock may stand in the way of; tries again until the lock
 * is gone or the patience is at its end. The event loop goes on meanwhile.
 * @throws {EventStoreUnavailable} for every fault of the engine.
 */
export async function untilFree<T>(patienceMs: number, attempt: () => T): Promise<T> {
  let deadline: number | undefined;
  for (let tries = 0; ; tries++) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error)) throw asUnavailable(error);
      deadline ??= performance.now() + patienceMs;
      if (performance.now() >= deadline) throw lockedTooLong(patienceMs);
    }
    await delay(pauseBefore(tries));
  }
}
