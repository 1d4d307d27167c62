/**
 * Work that is done at most once in a macrotask, such as a look at what others have written: within
 * one macrotask nothing reaches the process from outside, so nobody who asks again can have heard
 * of anything later, unless it was read from the file itself: then the work is due again.
 */
export class OncePerMacrotask {
  #isDone = false;
  readonly #forget = (): void => {
    this.#isDone = false;
  };

  constructor(private readonly work: () => void) {}

  ensure(): void {
    if (this.#isDone) return;
    this.work();
    this.#isDone = true;
    // After all microtasks, before the next macrotask.
    process.nextTick(this.#forget);
  }

  /** The work is due again: this process itself has changed something, or seen that another has. */
  renew(): void {
    this.#isDone = false;
  }
}
