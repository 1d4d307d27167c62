import type { Position } from '../../event-store/port.js';

/** The tree of the log's events, computed from them apart from the stored one. */
export interface ProvenRoot {
  readonly size: number;
  /** 32 bytes. */
  readonly rootHash: Uint8Array;
}

/** How far the tree's follower is. Between its thread and the service as a message. */
export interface TreeProgress {
  /** Every audited event up to here is a leaf. */
  readonly position: Position;
  /** Why it makes no progress, null while it does. */
  readonly stalled: string | null;
  /** What the events up to `position` make; null until they were compared with what is stored. */
  readonly proven: ProvenRoot | null;
  /** The log is not, or no longer, what the tree was made from. */
  readonly isContradicted: boolean;
}

/** What the service says to the thread. */
export type TreeOrder = 'wake' | 'stop';
