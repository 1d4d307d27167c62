import { setTimeout as delay } from 'node:timers/promises';
import { START, type EventStore, type Position } from './port.js';

const POLL_MS = 25;

/** `foreign`: an engine with positions of another form gave it, so nobody can say what lies before it. */
export type Reach = 'reached' | 'behind' | 'foreign';

/**
 * Waits until the log, as this node reads it, holds what another node has seen: every read that
 * carries a position token comes through here. `behind` when that takes longer than `timeoutMs`.
 */
export async function logReaches(
  store: Pick<EventStore, 'head'>,
  position: Position,
  timeoutMs: number,
): Promise<Reach> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const head = await store.head();
    if (!areComparable(position, head)) return 'foreign';
    if (head >= position) return 'reached';
    if (performance.now() >= deadline) return 'behind';
    await delay(POLL_MS);
  }
}

/**
 * Positions of SQLite and PostgreSQL have one form, and those of EventStoreDB another number of digits;
 * {@link START} is before everything in all of them.
 */
export function areComparable(one: Position, other: Position): boolean {
  return one === START || other === START || one.length === other.length;
}
