import { setTimeout as delay } from 'node:timers/promises';
import { letOthersRun } from '../threads/let-others-run.js';
import { toPosition, type StoredEvent } from './event-row.js';
import { cutShort, isAborted } from './following.js';
import type { SubscriptionMessage } from './port.js';

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 2_000;

export interface Page {
  readonly events: readonly StoredEvent[];
  /** Number of the position up to which every event that is wanted has been returned. */
  readonly end: number;
}

/** A log whose positions are numbers, and whose events are read in pages. */
export interface SubscriptionSource {
  /** The wanted events after `after`, at most up to `head`. */
  readonly readPage: (after: number, head: number) => Page | Promise<Page>;
  readonly readHead: () => number | Promise<number>;
  readonly watch: {
    /** Resolves once the head may be another than `seen`, or the signal aborts. */
    beyond(seen: number, signal: AbortSignal): Promise<void>;
  };
  /** Told of every fault that the subscription outlives. */
  readonly onFault: (fault: unknown) => void;
}

/** The subscriptions of one store, which end with it. */
export class Subscriptions {
  readonly #stops = new Set<AbortController>();
  #areEnded = false;

  /** The messages after a position, until `signal` aborts or all subscriptions are ended. */
  open(
    source: SubscriptionSource,
    after: number,
    signal: AbortSignal | undefined,
  ): AsyncIterator<SubscriptionMessage, undefined> {
    const stop = new AbortController();
    const abort = (): void => {
      stop.abort();
      signal?.removeEventListener('abort', abort);
      this.#stops.delete(stop);
    };
    if (this.#areEnded || signal?.aborted === true) stop.abort();
    else {
      this.#stops.add(stop);
      signal?.addEventListener('abort', abort);
    }
    return new Messages(follow(source, after, stop.signal, abort), stop.signal, abort);
  }

  endAll(): void {
    this.#areEnded = true;
    for (const stop of [...this.#stops]) stop.abort();
  }
}

/** A part of the log, or that there is no more of it. */
type Step = readonly StoredEvent[] | Extract<SubscriptionMessage, { kind: 'caught-up' }>;

type Next = IteratorResult<SubscriptionMessage, undefined>;

/**
 * Gives what pages hold, one message each. No generator: most messages lie ready, and a generator takes
 * four promises for each of them.
 */
class Messages implements AsyncIterator<SubscriptionMessage, undefined> {
  #events: readonly StoredEvent[] = [];
  #given = 0;

  constructor(
    private readonly steps: AsyncGenerator<Step, undefined>,
    private readonly signal: AbortSignal,
    private readonly abort: () => void,
  ) {}

  next(): Promise<Next> {
    const event = this.signal.aborted ? undefined : this.#events[this.#given];
    return event === undefined ? this.#goOn() : this.#give(event);
  }

  // A generator that waits would not hear of its return before the next event.
  async return(): Promise<Next> {
    this.abort();
    await this.steps.return(undefined);
    return { done: true, value: undefined };
  }

  async #goOn(): Promise<Next> {
    this.#events = [];
    const { done, value } = await this.steps.next();
    if (done === true) return { done: true, value: undefined };
    if ('kind' in value) return { done: false, value };
    this.#events = value;
    this.#given = 0;
    return await this.next();
  }

  async #give(stored: StoredEvent): Promise<Next> {
    this.#given++;
    try {
      return { done: false, value: { kind: 'event', event: stored.envelope } };
    } catch (damage) {
      await this.return();
      throw damage;
    }
  }
}

/**
 * What comes after a position: read from the log, page by page, whether it is old or new, so that there
 * is no seam between catching up and following.
 */
async function* follow(
  { readPage, readHead, watch, onFault }: SubscriptionSource,
  after: number,
  signal: AbortSignal,
  onEnd: () => void,
): AsyncGenerator<Step, undefined> {
  let cursor = after;
  let caughtUpAt: number | undefined;
  let pause = FIRST_PAUSE_MS;
  try {
    while (!signal.aborted) {
      let head: number;
      let page: Page;
      try {
        head = await readHead();
        page = head > cursor ? await readPage(cursor, head) : { events: [], end: cursor };
      } catch (fault) {
        if (isAborted(signal)) return;
        onFault(fault);
        await delay(pause, undefined, { signal }).catch(() => undefined);
        pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
        continue;
      }
      if (head < cursor) throw cutShort(toPosition(head), toPosition(cursor));
      pause = FIRST_PAUSE_MS;
      if (isAborted(signal)) return;
      yield page.events;
      cursor = page.end;
      if (cursor < head) {
        await letOthersRun();
        continue;
      }
      if (isAborted(signal)) return;
      if (caughtUpAt !== cursor) yield { kind: 'caught-up', position: toPosition(cursor) };
      caughtUpAt = cursor;
      await watch.beyond(cursor, signal);
    }
  } finally {
    onEnd();
  }
}
