import { getPriority, setPriority } from 'node:os';

/** What is left of a busy processor goes to such a thread, and never less than a tenth of a core. */
const LOW_PRIORITY = 10;

/**
 * Lets the calling thread work behind those that somebody waits for. Only where threads have priorities
 * of their own, as on Linux; elsewhere it would slow down the whole process.
 */
export function giveWay(): void {
  if (process.platform !== 'linux') return;
  // Only root may raise one again.
  if (getPriority() < LOW_PRIORITY) setPriority(LOW_PRIORITY);
}
