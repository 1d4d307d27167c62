/** Readers that wait for a view to get somewhere, each at most so long. */
export class WaitingReaders {
  /** Each looks whether it has waited enough: its condition holds, or nothing will change any more. */
  readonly #waiting = new Set<() => void>();
  #isClosed = false;

  /** True as soon as the condition holds, false when it does not within the time. */
  async until(condition: () => boolean, timeoutMs: number): Promise<boolean> {
    if (condition()) return true;
    if (timeoutMs <= 0 || this.#isClosed) return false;
    return await new Promise((resolve) => {
      const end = (held: boolean) => {
        this.#waiting.delete(check);
        clearTimeout(timer);
        resolve(held);
      };
      const check = () => {
        const held = condition();
        if (held || this.#isClosed) end(held);
      };
      const timer = setTimeout(() => {
        end(condition());
      }, timeoutMs);
      this.#waiting.add(check);
    });
  }

  /** Nobody waits any longer: the views get nowhere from now on. */
  close(): void {
    this.#isClosed = true;
    this.notify();
  }

  /** To be called after every step that may have made a condition true. */
  notify(): void {
    for (const check of [...this.#waiting]) check();
  }
}
