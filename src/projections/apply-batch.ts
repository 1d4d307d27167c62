import type { Position } from '../event-store/port.js';
import * as bookkeeping from './bookkeeping.js';
import { wantedBy, type Delivery } from './decoding.js';
import { errorSummary } from './error-summary.js';
import type { ProjectedEvent, Projection, ProjectionDatabase } from './port.js';
import { isDatabaseFault, type ReadDatabase } from './read-database.js';
import type { TrackedProjection } from './tracked-projection.js';

/** An event that a projection has just failed to apply. */
export interface NewFailure {
  readonly projection: string;
  readonly place: bookkeeping.ParkedPlace;
  readonly error: unknown;
}

/** A handler has failed, and what was undone with its batch has to be read again. */
export class BatchesUndone extends Error {
  override readonly name = 'BatchesUndone';
}

/**
 * Applies a batch to several projections and moves their checkpoints, in one transaction that may be
 * committed later.
 *
 * The common case costs no savepoints. When a projection throws, everything that was not committed is
 * undone and done again with that projection taken event by event, so that the failed event alone is
 * undone.
 *
 * @param upTo position of the last event read, delivered or not.
 * @param retryAt when a failed event is tried again, milliseconds since the epoch.
 * @returns the events that failed and are parked now.
 * @throws {BatchesUndone} when batches of before were undone as well: the session begins anew.
 */
export function applyBatch(
  database: ReadDatabase,
  projections: readonly TrackedProjection[],
  deliveries: readonly Delivery[],
  upTo: Position,
  retryAt: number,
): readonly NewFailure[] {
  for (;;) {
    let current: TrackedProjection | undefined;
    try {
      const passes = database.transaction((db) => {
        const done: Pass[] = [];
        for (const tracked of projections) {
          if (tracked.position >= upTo) continue;
          current = tracked;
          const pass = new Pass(database, db, tracked, retryAt);
          for (const delivery of deliveries) pass.take(delivery);
          bookkeeping.putCheckpoint(db, tracked.name, tracked.checkpoint(upTo));
          done.push(pass);
        }
        current = undefined;
        return done;
      }, 'later');
      for (const { tracked, parkedStreams, parkedEvents } of passes) {
        tracked.position = upTo;
        tracked.parkedEvents += parkedEvents;
        for (const stream of parkedStreams) tracked.unreliableStreams.add(stream);
      }
      return passes.flatMap(({ failures }) => failures);
    } catch (error) {
      if (isDatabaseFault(error) || current === undefined || current.isCareful) throw error;
      current.isCareful = true;
      if (database.isCutBack) throw new BatchesUndone();
    }
  }
}

/** One projection's way through one batch. */
class Pass {
  readonly parkedStreams = new Set<string>();
  parkedEvents = 0;
  readonly failures: NewFailure[] = [];

  constructor(
    private readonly database: ReadDatabase,
    private readonly db: ProjectionDatabase,
    readonly tracked: TrackedProjection,
    private readonly retryAt: number,
  ) {}

  take(delivery: Delivery): void {
    const { envelope } = delivery;
    if (envelope.position <= this.tracked.position) return;
    const wanted = wantedBy(this.tracked.projection, envelope);
    if (wanted === 'ignored') return;
    if (this.#isUnreliable(envelope.stream)) {
      this.#park(envelope, null);
      return;
    }
    if ('fault' in delivery) {
      this.#fail(envelope, delivery.fault);
    } else if (wanted === 'unknown') {
      this.#fail(envelope, new Error(`unknown event type ${envelope.type}`));
    } else if (this.tracked.isCareful) {
      this.#applyAlone(delivery.event);
    } else {
      applyNow(this.tracked.projection, this.db, delivery.event);
    }
  }

  #applyAlone(event: ProjectedEvent): void {
    try {
      this.database.attempt(() => {
        applyNow(this.tracked.projection, this.db, event);
      });
    } catch (error) {
      if (isDatabaseFault(error)) throw error;
      this.#fail(event, error);
    }
  }

  #isUnreliable(stream: string): boolean {
    return this.tracked.unreliableStreams.has(stream) || this.parkedStreams.has(stream);
  }

  #fail(place: bookkeeping.ParkedPlace, error: unknown): void {
    this.#park(place, { attempts: 1, error: errorSummary(error), retryAt: this.retryAt });
    this.failures.push({ projection: this.tracked.name, place, error });
  }

  #park(place: bookkeeping.ParkedPlace, failure: bookkeeping.ParkedFailure | null): void {
    bookkeeping.park(this.db, this.tracked.name, place, failure);
    this.parkedEvents++;
    if (failure !== null) this.parkedStreams.add(place.stream);
  }
}

/** Calls the handler and insists that it is done when it returns. */
export function applyNow(
  projection: Projection,
  db: ProjectionDatabase,
  event: ProjectedEvent,
): void {
  // eslint-disable-next-line @typescript-eslint/no-confusing-void-expression -- it may return a promise all the same
  const returned: unknown = projection.apply(db, event);
  if (typeof returned !== 'object' || returned === null || !('then' in returned)) return;
  // Its own failure would otherwise end the process as an unhandled rejection.
  void Promise.resolve(returned).catch(() => undefined);
  throw new Error('the handler is asynchronous: its work would fall outside of the transaction');
}
