import { millisecondsOf, type Clock } from '../../kernel/timestamp.js';
import type { StoredCheckpoint } from './checkpoint-rows.js';

export interface CheckpointPaceOptions {
  readonly clock: Clock;
  /** Milliseconds on a clock that nobody sets. */
  readonly monotonic: Clock;
  readonly intervalMs: number;
  /** Least time between two checkpoints when somebody asks for one, in milliseconds. */
  readonly leastIntervalMs: number;
}

/** A tree that has grown is overdue after so many intervals, but not before so many milliseconds. */
const OVERDUE_INTERVALS = 3;
const OVERDUE_MS = 15_000;

/**
 * When the next checkpoint may be signed. How old the newest one is, its moment says once, when this
 * node first sees it, and only as far as it can be true: one that is recorded in the future, by a clock
 * that was ahead, was made now at the latest, and one that was not there before was made since then.
 * From there on it is counted on the monotonic clock, so that no clock stops the log.
 */
export class CheckpointPace {
  #revision = -1;
  /** All on the monotonic clock. */
  #madeAt = -Infinity;
  #lookedAt = -Infinity;
  #coveredAt: number;

  constructor(private readonly options: CheckpointPaceOptions) {
    this.#coveredAt = options.monotonic();
  }

  /**
   * Told at each look at the log.
   * @param newest checkpoint that is published
   * @param size leaves of the tree
   */
  saw(
    newest: Pick<StoredCheckpoint, 'revision' | 'recordedAt' | 'size'> | undefined,
    size: number,
  ) {
    const { clock, monotonic } = this.options;
    const now = monotonic();
    if (newest !== undefined && newest.revision !== this.#revision) {
      const age = Math.max(clock() - millisecondsOf(newest.recordedAt), 0);
      this.#revision = newest.revision;
      this.#madeAt = Math.max(now - age, this.#lookedAt);
      this.#coveredAt = now;
    }
    if (size <= (newest?.size ?? 0)) this.#coveredAt = now;
    this.#lookedAt = now;
  }

  /** Milliseconds until it may be signed again; not above 0 when it may be now. */
  remaining(isAsked: boolean): number {
    const { monotonic, intervalMs, leastIntervalMs } = this.options;
    const interval = isAsked ? Math.min(leastIntervalMs, intervalMs) : intervalMs;
    return this.#madeAt + interval - monotonic();
  }

  /** For so long, in milliseconds, a tree that has grown was not signed; undefined while that is no fault. */
  get overdueMs(): number | undefined {
    const { monotonic, intervalMs } = this.options;
    const unsigned = monotonic() - this.#coveredAt;
    return unsigned > Math.max(OVERDUE_INTERVALS * intervalMs, OVERDUE_MS) ? unsigned : undefined;
  }
}
