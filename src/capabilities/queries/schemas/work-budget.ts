/** Counts the steps of one computation, and ends it when they are too many. */
export class WorkBudget {
  #left = 0;
  #renewed = 0;

  constructor(private readonly steps: number) {}

  /** Of the computation so far, or as a whole. */
  get spent(): number {
    return this.#renewed - this.#left;
  }

  /**
   * Before each computation.
   * @param most fewer steps, if they are
   */
  renew(most = Infinity): void {
    this.#renewed = this.#left = Math.min(this.steps, most);
  }

  /** @throws {Error} when nothing is left */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new Error('takes too many steps');
  }
}

/** What several computations may take together. */
export class SharedWork {
  constructor(private left: number) {}

  /** Nothing is left: what was found last may be wrong. */
  get isSpent(): boolean {
    return this.left <= 0;
  }

  get rest(): number {
    return Math.max(0, this.left);
  }

  take(steps: number): void {
    this.left -= steps;
  }
}
