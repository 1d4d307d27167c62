import { setTimeout as delay } from 'node:timers/promises';
import { asUnavailable, isTransient } from './faults.js';

/** How long a call tries again while the server is away, in milliseconds. */
export const PATIENCE_MS = 5_000;

const FIRST_PAUSE_MS = 20;

/** How long something that has failed is still tried; counted from its last success. */
export class Patience {
  #deadline: number;
  #pause = FIRST_PAUSE_MS;

  constructor(
    private readonly milliseconds: number,
    private readonly longestPauseMs = 500,
  ) {
    this.#deadline = performance.now() + milliseconds;
  }

  /** Milliseconds that are left, at least 1. */
  get left(): number {
    return Math.max(Math.ceil(this.#deadline - performance.now()), 1);
  }

  /** It succeeded: all patience is there again. */
  renew(): void {
    this.#deadline = performance.now() + this.milliseconds;
    this.#pause = FIRST_PAUSE_MS;
  }

  /**
   * Waits before another try.
   * @throws {EventStoreUnavailable} in place of `fault` when none is to be made.
   */
  async after(fault: unknown, signal?: AbortSignal): Promise<void> {
    const isOver = performance.now() + this.#pause >= this.#deadline;
    if (!isTransient(fault) || isOver || signal?.aborted === true) throw asUnavailable(fault);
    await delay(this.#pause, undefined, signal === undefined ? {} : { signal }).catch(
      () => undefined,
    );
    this.#pause = Math.min(this.#pause * 2, this.longestPauseMs);
  }
}

/**
 * Does something that may be done twice until it succeeds.
 * @throws {EventStoreUnavailable} when waiting would not help, or has not helped for so long.
 */
export async function persist<T>(
  milliseconds: number,
  attempt: (patience: Patience) => Promise<T>,
): Promise<T> {
  const patience = new Patience(milliseconds);
  for (;;) {
    try {
      return await attempt(patience);
    } catch (fault) {
      await patience.after(fault);
    }
  }
}
