import { START, type EventStore } from '../event-store/port.js';
import { streamPages } from '../event-store/stream-pages.js';
import type { Clock } from '../kernel/timestamp.js';
import { applyNow } from './apply-batch.js';
import * as bookkeeping from './bookkeeping.js';
import type { Decoder, Delivery } from './decoding.js';
import { errorSummary } from './error-summary.js';
import type { ParkedEvent } from './port.js';
import { isDatabaseFault, type ReadDatabase } from './read-database.js';
import type { TrackedProjection } from './tracked-projection.js';

/**
 * Tries parked events again: the first of a stream, then those behind it in their order, until none
 * is left (the stream is reliable again) or one fails.
 */
export class ParkedStreams {
  #wake: (() => void) | undefined;

  constructor(
    private readonly options: {
      readonly store: EventStore;
      readonly database: ReadDatabase;
      readonly clock: Clock;
      readonly retryDelaysMs: readonly number[];
    },
    private readonly decoder: Decoder,
    private readonly tracked: () => Iterable<TrackedProjection>,
  ) {}

  /** To be called when events were parked: their retries are planned. */
  refresh(): void {
    this.#noteRetries();
    this.#wake?.();
  }

  /** Waits for the next retry that is due and does it. Returns early when the signal aborts. */
  async nextRetry(signal: AbortSignal): Promise<void> {
    const next = bookkeeping.nextRetry(this.options.database);
    const wait = next === undefined ? Infinity : next.retryAt - this.options.clock();
    if (wait > 0) await this.#sleep(wait, signal);
    else if (next !== undefined) await this.#retryStream(next.projection, next.stream, signal);
  }

  async #retryStream(projection: string, stream: string, signal: AbortSignal): Promise<void> {
    const tracked = this.#trackedBy(projection);
    if (tracked === undefined) return;
    for (;;) {
      const waiting = this.#parkedOf(tracked, stream);
      if (waiting.length === 0) {
        // Nothing was awaited since the look, so no event can have been parked behind.
        this.#trackedBy(projection)?.unreliableStreams.delete(stream);
        break;
      }
      if (!(await this.#tryInOrder(tracked, stream, waiting, signal))) break;
    }
    this.#noteRetries();
  }

  /**
   * What waits is read page by page: it may be a long stream's whole rest.
   * @param waiting the parked events of the stream
   * @returns whether all of them are applied now: none failed, and the signal did not abort.
   */
  async #tryInOrder(
    tracked: TrackedProjection,
    stream: string,
    waiting: readonly ParkedEvent[],
    signal: AbortSignal,
  ): Promise<boolean> {
    let left = waiting;
    for await (const page of streamPages(this.options.store, stream, waiting[0]?.revision)) {
      const deliveries = await this.decoder.decode(page, [tracked.projection]);
      if (signal.aborted) return false;
      const end = page.at(-1)?.position ?? START;
      const beyond = left.findIndex(({ position }) => position > end);
      const due = beyond === -1 ? left : left.slice(0, beyond);
      if (!this.#tryAll(tracked, due, deliveries)) return false;
      left = left.slice(due.length);
      if (left.length === 0) return true;
    }
    // They are in the stream no longer.
    return this.#tryAll(tracked, left, []);
  }

  /** @returns whether all of them are applied now. */
  #tryAll(
    tracked: TrackedProjection,
    waiting: readonly ParkedEvent[],
    deliveries: readonly Delivery[],
  ): boolean {
    const byPosition = new Map(deliveries.map((each) => [each.envelope.position, each]));
    for (const parked of waiting) {
      if (!this.#tryOnce(tracked, parked, byPosition.get(parked.position))) return false;
      const current = this.#trackedBy(tracked.name);
      if (current !== undefined) current.parkedEvents--;
    }
    return true;
  }

  /** @returns whether the event is applied now. */
  #tryOnce(
    tracked: TrackedProjection,
    parked: ParkedEvent,
    delivery: Delivery | undefined,
  ): boolean {
    const { database } = this.options;
    try {
      database.transaction((db) => {
        if (delivery !== undefined) {
          if ('fault' in delivery) throw delivery.fault;
          if (!Object.hasOwn(tracked.projection.takes, delivery.event.type)) {
            throw new Error(`unknown event type ${delivery.event.type}`);
          }
          applyNow(tracked.projection, db, delivery.event);
        }
        bookkeeping.unpark(db, tracked.name, parked, this.options.clock());
      });
      return true;
    } catch (error) {
      if (isDatabaseFault(error)) throw error;
      const attempts = parked.attempts + 1;
      const delay = this.options.retryDelaysMs[attempts - 1];
      const retryAt = delay === undefined ? null : this.options.clock() + delay;
      database.transaction((db) => {
        const failure = { attempts, error: errorSummary(error), retryAt };
        bookkeeping.park(db, tracked.name, parked, failure);
      });
      return false;
    }
  }

  #trackedBy(name: string): TrackedProjection | undefined {
    return [...this.tracked()].find((each) => each.name === name);
  }

  #parkedOf(tracked: TrackedProjection, stream: string): ParkedEvent[] {
    return bookkeeping.parkedOf(this.options.database, tracked.name, stream);
  }

  /** What readers have to wait for. */
  #noteRetries(): void {
    for (const tracked of this.tracked()) {
      tracked.firstRetrying = bookkeeping.firstRetrying(this.options.database, tracked.name);
    }
  }

  async #sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        this.#wake = undefined;
        resolve();
      };
      const timer = Number.isFinite(milliseconds) ? setTimeout(end, milliseconds) : undefined;
      signal.addEventListener('abort', end);
      this.#wake = end;
    });
  }
}
