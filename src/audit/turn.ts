import { setImmediate as nextTurn } from 'node:timers/promises';

/** So long somebody works before others get their turn: there may be hundreds of thousands of events to do. */
const TURN_MS = 5;

/** One's turn on the only thread that there is for requests. */
export class Turn {
  #ends = performance.now() + TURN_MS;

  /** To be called between pieces of work: lets others have theirs when this one is over. */
  async next(): Promise<void> {
    if (performance.now() < this.#ends) return;
    await nextTurn();
    this.#ends = performance.now() + TURN_MS;
  }
}
