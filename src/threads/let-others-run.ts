import { setImmediate as immediately } from 'node:timers/promises';

/** So long somebody works before others may: there may be hundreds of thousands of events to do. */
const SLICE_MS = 5;

/**
 * Lets everything else that waits for this thread run before its caller goes on: requests that have come,
 * timers that are due, what was read from disk or network. One turn of the event loop, no pause.
 */
export async function letOthersRun(): Promise<void> {
  await immediately();
}

/** Of the only thread that there is for requests: what long work takes of it before others run. */
export class TimeSlice {
  #ends = performance.now() + SLICE_MS;

  /** To be called between pieces of work: lets others run when the slice is over, and begins the next. */
  async next(): Promise<void> {
    if (performance.now() < this.#ends) return;
    await letOthersRun();
    this.#ends = performance.now() + SLICE_MS;
  }
}
