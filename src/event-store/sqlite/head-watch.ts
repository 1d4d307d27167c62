/**
 * Milliseconds between two wakings by commits. Longer, and the readers of a busy log would be further
 * behind than what is kept of it in memory.
 */
const REST_MS = 40;

interface Waiter {
  readonly seen: number;
  readonly wake: () => void;
}

/**
 * Wakes readers that have reached the head: at once for commits of this process, and by a look at
 * the file every few milliseconds for commits of others. It looks only while somebody waits.
 */
export class HeadWatch {
  readonly #waiters = new Set<Waiter>();
  #timer: NodeJS.Timeout | undefined;
  #restingUntil = 0;
  #afterRest: NodeJS.Timeout | undefined;

  constructor(
    private readonly readHead: () => number,
    private readonly pollMs: number,
  ) {}

  /** Resolves once the head lies beyond `seen` or the signal aborts. */
  async beyond(seen: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const waiter: Waiter = {
        seen,
        wake: () => {
          this.#waiters.delete(waiter);
          signal.removeEventListener('abort', waiter.wake);
          if (this.#waiters.size === 0) this.#stopTimer();
          resolve();
        },
      };
      signal.addEventListener('abort', waiter.wake);
      this.#waiters.add(waiter);
      this.#timer ??= setInterval(() => {
        this.look();
      }, this.pollMs);
    });
  }

  /**
   * Wakes readers for a commit of this process: at once when the last one is a while ago, else
   * together for all commits of a short while, since every waking costs each reader a page.
   */
  noteCommit(): void {
    const rest = this.#restingUntil - performance.now();
    if (rest <= 0) {
      this.#restingUntil = performance.now() + REST_MS;
      this.look();
      return;
    }
    this.#afterRest ??= setTimeout(() => {
      this.#afterRest = undefined;
      this.noteCommit();
    }, rest + 1);
  }

  /** Looks at the head now and wakes whom it concerns. */
  look(): void {
    if (this.#waiters.size === 0) return;
    let head: number;
    try {
      head = this.readHead();
    } catch {
      // Waiting readers lose nothing; the next look may succeed, and the next read reports.
      return;
    }
    for (const waiter of [...this.#waiters]) if (waiter.seen < head) waiter.wake();
  }

  #stopTimer(): void {
    clearTimeout(this.#afterRest);
    this.#afterRest = undefined;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
