import type { Position } from '../event-store/port.js';
import type { Lease } from './process-state.js';

/** One process on this node, for operators. */
export interface ProcessHealth {
  readonly name: string;
  readonly node: string;
  /** `starting` until the log has been read to its head: nothing is done before. */
  readonly state: 'starting' | 'following' | 'stopped';
  /** Who acts, null when nobody has needed to for a while. */
  readonly lease: Lease | null;
  /** Nothing at or before it is left to do; a start reads the log from there. */
  readonly checkpoint: Position;
  /** Everything up to here was read. */
  readonly seen: Position;
  /** Things to do, now or later, without those noted on the calendar. */
  readonly pending: number;
  /** For how long the most overdue of them has been due, in milliseconds; 0 when none is. */
  readonly overdueMs: number;
  /** Events that this build does not understand; the checkpoint stays before the first. */
  readonly unreadable: number;
  /**
   * A fault that is not over: why it does not begin, read or act, or why something due is not done.
   * Null while there is none.
   */
  readonly lastError: string | null;
}
