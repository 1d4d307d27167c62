import { setTimeout as delay } from 'node:timers/promises';
import type { EventStore, Position } from './port.js';

const POLL_MS = 25;

/**
 * Waits until the log, as this node reads it, holds what another node has seen: every read that
 * carries a position token comes through here. False when that takes longer than `timeoutMs`.
 */
export async function logReaches(
  store: Pick<EventStore, 'head'>,
  position: Position,
  timeoutMs: number,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while ((await store.head()) < position) {
    if (performance.now() >= deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}
