/** After a purge was asked for, so that those of one moment share it; and between two tries. */
const PURGE_AFTER_MS = 250;

/** Empties, soon after texts were overwritten, what still holds them as they were. */
export class Purge {
  #isAskedFor = false;
  #waiting: NodeJS.Timeout | undefined;

  /** @param empty false when somebody is in the way just now: it is tried again */
  constructor(private readonly empty: () => boolean) {}

  /** To be called in the transaction that overwrites them. */
  ask(): void {
    this.#isAskedFor = true;
  }

  /** To be called after every commit. */
  committed(): void {
    if (this.#isAskedFor) this.#soon();
  }

  /** Until the next commit nothing is done; what was asked for is not forgotten. */
  pause(): void {
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
  }

  #soon(): void {
    this.#waiting ??= setTimeout(() => {
      this.#waiting = undefined;
      if (this.empty()) this.#isAskedFor = false;
      else this.#soon();
    }, PURGE_AFTER_MS).unref();
  }
}
