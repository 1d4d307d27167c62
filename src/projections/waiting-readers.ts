/** Readers that wait for a view to get somewhere, each at most so long. */
export class WaitingReaders {
  readonly #waiting = new Set<() => void>();

  /** True as soon as the condition holds, false when it does not within the time. */
  async until(condition: () => boolean, timeoutMs: number): Promise<boolean> {
    if (condition()) return true;
    if (timeoutMs <= 0) return false;
    return new Promise((resolve) => {
      const end = (held: boolean) => {
        this.#waiting.delete(check);
        clearTimeout(timer);
        resolve(held);
      };
      const check = () => {
        if (condition()) end(true);
      };
      const timer = setTimeout(() => {
        end(condition());
      }, timeoutMs);
      this.#waiting.add(check);
    });
  }

  /** To be called after every step that may have made a condition true. */
  notify(): void {
    for (const check of [...this.#waiting]) check();
  }
}
