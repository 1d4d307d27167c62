/**
 * Work of the background that is tried again and again, at once and then after each pause. A round that
 * fails is over: the next one tries again, so the work must be such that it finds what is left by itself.
 * It keeps no process alive.
 */
export class Rounds {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(
    private readonly pauseMs: number,
    private readonly work: () => Promise<void>,
  ) {
    this.#run();
  }

  /** Ends after the round that is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #run(): void {
    this.#running = this.work()
      .catch(() => undefined)
      .then(() => {
        if (this.#isClosed) return;
        this.#timer = setTimeout(() => {
          this.#run();
        }, this.pauseMs).unref();
      });
  }
}
