import type { Position } from '../../event-store/port.js';

/** How far the tree's follower is. Between its thread and the service as a message. */
export interface TreeProgress {
  /** Every audited event up to here is a leaf. */
  readonly position: Position;
  /** Why it makes no progress, null while it does. */
  readonly stalled: string | null;
  /** The log is not, or no longer, what the tree was made from. */
  readonly isContradicted: boolean;
}

/** What the service says to the thread. */
export type TreeOrder = 'wake' | 'stop';
