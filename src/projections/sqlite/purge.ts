/** After a purge was asked for, so that those of one moment share it; and between two tries. */
const PURGE_AFTER_MS = 250;

/** Removes, soon after texts were overwritten, something that still holds them as they were. */
export class Purge {
  #isAskedFor = false;
  #waiting: NodeJS.Timeout | undefined;

  /** @param remove false, or a throw, when something is in the way just now: it is tried again */
  constructor(private readonly remove: () => boolean) {}

  /** To be called in the transaction that overwrites them. */
  ask(): void {
    this.#isAskedFor = true;
  }

  /** To be called after every commit. */
  committed(): void {
    if (this.#isAskedFor) this.#soon();
  }

  /** Does now what was asked for; when that fails it waits for the next commit, and is not forgotten. */
  workOff(): void {
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
    if (this.#isAskedFor) this.#try();
  }

  #soon(): void {
    this.#waiting ??= setTimeout(() => {
      this.#waiting = undefined;
      this.#try();
      this.committed();
    }, PURGE_AFTER_MS).unref();
  }

  #try(): void {
    try {
      this.#isAskedFor = !this.remove();
    } catch {
      // No permission, say, or a fault of the database that whoever writes next meets too, and reports.
    }
  }
}
