import { EventStoreUnavailable, type Position } from './port.js';

/** A call, since the signal changes while somebody else has the turn. */
export function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/**
 * The log ends before a place that a reader has seen: an older copy was put back, or the reader's
 * checkpoint belongs to another log. To go on would skip events without a word, and no waiting mends it.
 */
export function cutShort(head: Position, checkpoint: Position): EventStoreUnavailable {
  return new EventStoreUnavailable(
    `the log ends at ${head}, before the reader's checkpoint ${checkpoint}`,
  );
}
