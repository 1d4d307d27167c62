/** Counts the steps of one computation, and ends it when they are too many. */
export class WorkBudget {
  #left = 0;

  constructor(private readonly steps: number) {}

  /** Before each computation. */
  renew(): void {
    this.#left = this.steps;
  }

  /** @throws {Error} when nothing is left */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new Error('takes too many steps');
  }
}
