import { logFault } from '../http/fault-log.js';

/** What is opened in order, and closed in the opposite one. */
export class Opened {
  readonly #closers: (() => Promise<void> | void)[] = [];

  onClose(close: () => Promise<void> | void): void {
    this.#closers.unshift(close);
  }

  /** Closes everything, also when something does not close well. */
  async close(): Promise<void> {
    for (const close of this.#closers.splice(0)) {
      try {
        await close();
      } catch (error) {
        logFault(error, 'shutdown');
      }
    }
  }
}
