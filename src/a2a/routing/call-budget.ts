import type { Clock } from '../../kernel/timestamp.js';

const MINUTE_MS = 60_000;

/** So many calls in any minute, and none more. */
export class CallBudget {
  readonly #calls: number[] = [];

  constructor(
    private readonly perMinute: number,
    private readonly clock: Clock,
  ) {}

  /** Spends one call, if there is one left. */
  spend(): boolean {
    const now = this.clock();
    while (this.#calls[0] !== undefined && this.#calls[0] <= now - MINUTE_MS) this.#calls.shift();
    if (this.#calls.length >= this.perMinute) return false;
    this.#calls.push(now);
    return true;
  }
}
