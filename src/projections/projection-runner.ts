import type { EventTypes } from '../event-store/codec.js';
import type { KeyStore } from '../event-store/key-store.js';
import {
  START,
  type EventStore,
  type Position,
  type RecordedEnvelope,
} from '../event-store/port.js';
import type { DomainEvent } from '../kernel/event.js';
import type { Clock } from '../kernel/timestamp.js';
import { applyBatch, type NewFailure } from './apply-batch.js';
import * as bookkeeping from './bookkeeping.js';
import { Decoder, streamsOf } from './decoding.js';
import { errorSummary } from './error-summary.js';
import { ParkedStreams, type RetryOutcome } from './parked-streams.js';
import { breathe, pause } from './pause.js';
import type {
  ParkedEvent,
  Projection,
  ProjectionHealth,
  ProjectionsHealth,
  ReadModel,
  ReadStatement,
} from './port.js';
import { ReadDatabaseDamaged, type ReadDatabase } from './read-database.js';
import { TrackedProjection } from './tracked-projection.js';
import { WaitingReaders } from './waiting-readers.js';

/** Something an operator should read in the log: one line, and what it is about. */
export type Report = (line: string, about: Readonly<Record<string, unknown>>) => void;

export interface ProjectionRunnerOptions {
  readonly store: EventStore;
  readonly keys: Pick<KeyStore, 'findAll'>;
  /** The event types of all contexts whose streams the projections follow. */
  readonly types: EventTypes<DomainEvent>;
  readonly database: ReadDatabase;
  readonly projections: readonly Projection[];
  readonly clock: Clock;
  readonly report: Report;
  /** Pauses before the retries of a failed event, in milliseconds; then it stays parked. */
  readonly retryDelaysMs?: readonly number[];
  /** Events in one transaction while catching up. */
  readonly batchSize?: number;
  /** First and longest pause after the store or the database failed, in milliseconds. */
  readonly backoffMs?: readonly [first: number, longest: number];
}

/** How old a batch may grow while events keep coming, in milliseconds. */
const BATCH_AGE_MS = 20;

/**
 * Feeds all views of this node from one subscription: each event is read, unsealed and parsed once.
 * A view that is behind the others (new, or of a new version) catches up on its own and joins them
 * at the seam; the others stay current meanwhile.
 *
 * Whatever fails outside of a handler (the store, the keys, the read database) ends the session;
 * the next one starts from what the read database holds, so nothing is lost or applied twice.
 */
export class ProjectionRunner implements ReadModel {
  readonly #options: Required<ProjectionRunnerOptions>;
  readonly #decoder: Decoder;
  readonly #parked: ParkedStreams;
  readonly #readers = new WaitingReaders();
  readonly #stopping = new AbortController();
  #session = new AbortController();
  #running: Promise<void> | undefined;

  #tracked = new Map<string, TrackedProjection>();
  /** Those fed by the subscription. */
  readonly #followers = new Set<TrackedProjection>();
  /** How far the subscription has been applied. */
  #followed: Position = START;
  #logKnown = false;
  #stalled: string | null = 'not started';
  #backoff: number;

  constructor(options: ProjectionRunnerOptions) {
    this.#options = {
      retryDelaysMs: [50, 200, 800],
      batchSize: 500,
      backoffMs: [100, 5000],
      ...options,
    };
    this.#backoff = this.#options.backoffMs[0];
    const names = options.projections.map((each) => each.name);
    if (new Set(names).size < names.length) throw new Error('two projections have one name');
    this.#decoder = new Decoder(options.types, options.keys);
    this.#parked = new ParkedStreams(this.#options, this.#decoder, (name) =>
      this.#tracked.get(name),
    );
  }

  /** Returns at once; `waitFor` tells when the views can answer. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends the work and stores how far it came. The database stays open: its owner closes it. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#session.abort();
    await this.#running;
  }

  prepare<Row>(sql: string): ReadStatement<Row> {
    const statement = this.#options.database.prepare<Row>(sql);
    return {
      get: (...parameters) => this.#reading(() => statement.get(...parameters)),
      all: (...parameters) => this.#reading(() => statement.all(...parameters)),
    };
  }

  async waitFor(
    position: Position,
    timeoutMs: number,
    projections: readonly string[] = this.#options.projections.map((each) => each.name),
  ): Promise<boolean> {
    for (const name of projections) this.#requireKnown(name);
    const reached = () =>
      projections.every((name) => this.#tracked.get(name)?.hasReached(position) === true);
    return this.#readers.until(reached, timeoutMs);
  }

  isReliable(projection: string, stream: string): boolean {
    this.#requireKnown(projection);
    return this.#tracked.get(projection)?.quarantined.has(stream) === false;
  }

  parkedEvents(stream: string): readonly ParkedEvent[] {
    if (this.#tracked.size === 0) return [];
    return bookkeeping.parkedIn(this, stream);
  }

  /**
   * Tries parked events once more, after their cause was mended: of one projection or of all, of one
   * stream or of all.
   */
  async retryParked(
    which: { readonly projection?: string; readonly stream?: string } = {},
  ): Promise<RetryOutcome> {
    if (which.projection !== undefined) this.#requireKnown(which.projection);
    if (this.#tracked.size === 0) return { applied: 0, stillParked: 0 };
    const outcome = await this.#parked.retryNow(which);
    this.#readers.notify();
    return outcome;
  }

  /** Figures for operators. Asks the store for its head, so it fails when the store does. */
  async health(): Promise<ProjectionsHealth> {
    const head = await this.#options.store.head();
    const projections: ProjectionHealth[] = [];
    for (const tracked of this.#tracked.values()) {
      projections.push({
        name: tracked.name,
        version: tracked.projection.version,
        state: tracked.state,
        checkpoint: tracked.position,
        lagMs: await this.#lagOf(tracked, head),
        parkedEvents: tracked.parkedEvents,
        unreliableStreams: tracked.quarantined.size,
      });
    }
    return { head, projections, stalled: this.#stalled };
  }

  async #lagOf(tracked: TrackedProjection, head: Position): Promise<number> {
    if (tracked.position >= head) return 0;
    const filter = streamsOf([tracked.projection]);
    const waiting = await firstOf(this.#options.store.readAll(tracked.position, filter));
    if (waiting === undefined) return 0;
    return Math.max(0, this.#options.clock() - Date.parse(waiting.recordedAt));
  }

  // ---- sessions

  async #run(): Promise<void> {
    const [, longest] = this.#options.backoffMs;
    while (!this.#stopping.signal.aborted) {
      this.#session = new AbortController();
      const { signal } = this.#session;
      try {
        await this.#open();
        await this.#together([this.#follow(signal), this.#catchUp(signal), this.#retry(signal)]);
        if (!signal.aborted) throw new Error('the event store has ended the subscription');
        if (signal.reason instanceof ReadDatabaseDamaged) throw signal.reason;
      } catch (error) {
        this.#stalled = errorSummary(error);
        this.#options.report('projections stand still', { error });
        if (error instanceof ReadDatabaseDamaged) this.#replaceDatabase();
        await pause(this.#backoff, this.#stopping.signal);
        this.#backoff = Math.min(this.#backoff * 2, longest);
      }
    }
    this.#storePositions();
    this.#stalled = 'stopped';
  }

  /** All tasks of a session end with the first that fails. */
  async #together(tasks: readonly Promise<void>[]): Promise<void> {
    const ended = tasks.map(async (task) => {
      try {
        await task;
      } catch (error) {
        this.#session.abort();
        throw error;
      }
    });
    const failed = (await Promise.allSettled(ended)).find((each) => each.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /** Takes up what the read database holds, and empties what cannot be continued. */
  async #open(): Promise<void> {
    const { store, database, projections } = this.#options;
    const head = await store.head();
    const log = await this.#logIdentity();
    this.#logKnown = log !== undefined;
    const tracked = database.transaction((db) => {
      bookkeeping.createBookkeeping(db);
      const sameLog = bookkeeping.getSetting(db, 'log') === log;
      if (!sameLog && log !== undefined) bookkeeping.putSetting(db, 'log', log);
      return projections.map((projection) => {
        let stored = bookkeeping.getCheckpoint(db, projection.name);
        const continues =
          stored?.version === projection.version &&
          (sameLog || stored.position === START) &&
          // An older copy of the log was put back: what came after it never happened.
          stored.position <= head;
        if (stored === undefined || !continues) {
          stored = { version: projection.version, position: START, complete: false };
          projection.reset(db);
          bookkeeping.unparkAll(db, projection.name);
          bookkeeping.putCheckpoint(db, projection.name, stored);
        }
        const parked = bookkeeping.parkedOf(db, projection.name).map(({ stream }) => stream);
        const before = this.#tracked.get(projection.name);
        const caughtUp = continues && before?.caughtUp === true;
        return new TrackedProjection(projection, stored, parked, caughtUp);
      });
    });
    this.#tracked = new Map(tracked.map((each) => [each.name, each]));
    this.#parked.refresh();
    this.#followed = tracked.reduce<Position>(
      (foremost, { position }) => (position > foremost ? position : foremost),
      START,
    );
    this.#followers.clear();
    for (const each of tracked) {
      if (each.position === this.#followed) this.#followers.add(each);
    }
  }

  /** The id of a log's first event: tells one log from another, undefined for an empty one. */
  async #logIdentity(): Promise<string | undefined> {
    return (await firstOf(this.#options.store.readAll(START)))?.id;
  }

  #replaceDatabase(): void {
    this.#forgetViews();
    this.#options.report('the read database is damaged; it is moved aside and rebuilt', {});
    try {
      this.#options.database.replace();
    } catch (error) {
      this.#options.report('the read database could not be replaced', { error });
    }
  }

  /** From now on readers wait for the rebuild. */
  #forgetViews(): void {
    for (const tracked of this.#tracked.values()) {
      tracked.caughtUp = false;
      tracked.complete = false;
    }
  }

  #storePositions(): void {
    try {
      this.#options.database.transaction((db) => {
        for (const tracked of this.#tracked.values()) {
          const checkpoint = tracked.checkpoint(tracked.position);
          bookkeeping.putCheckpoint(db, tracked.name, checkpoint);
        }
      });
    } catch (error) {
      // The next start reads a few events again, nothing else.
      this.#options.report('the positions of the projections could not be stored', { error });
    }
  }

  // ---- the three tasks of a session

  async #follow(signal: AbortSignal): Promise<void> {
    const { store, projections, batchSize } = this.#options;
    const filter = streamsOf(projections);
    let batch: RecordedEnvelope[] = [];
    let oldest = 0;
    for await (const message of store.subscribeAll(this.#followed, { filter, signal })) {
      if (message.kind === 'event') {
        if (batch.length === 0) oldest = performance.now();
        batch.push(message.event);
        const full = batch.length >= batchSize;
        if (!full && performance.now() - oldest < BATCH_AGE_MS) continue;
        await this.#applyTo(this.#followers, batch, message.event.position);
        batch = [];
        if (full) await breathe();
      } else {
        await this.#applyTo(this.#followers, batch, message.position);
        batch = [];
        this.#reachedHead(this.#followers, message.position);
      }
      if (signal.aborted) return;
    }
  }

  async #catchUp(signal: AbortSignal): Promise<void> {
    const { store, batchSize } = this.#options;
    const behind = [...this.#tracked.values()].filter((each) => !this.#followers.has(each));
    const filter = streamsOf(behind.map((each) => each.projection));
    while (behind.length > 0) {
      const head = await store.head();
      const after = behind.reduce<Position>(
        (hindmost, { position }) => (position < hindmost ? position : hindmost),
        head,
      );
      let batch: RecordedEnvelope[] = [];
      for await (const event of store.readAll(after, filter)) {
        batch.push(event);
        if (batch.length < batchSize) continue;
        await this.#applyTo(behind, batch, event.position);
        batch = [];
        await breathe();
        if (signal.aborted) return;
      }
      const last = batch.at(-1)?.position ?? START;
      await this.#applyTo(behind, batch, last > head ? last : head);
      if (signal.aborted) return;
      // From here to the end nothing is awaited: the subscription cannot get ahead in between.
      if (behind.every(({ position }) => position >= this.#followed)) {
        for (const each of behind) this.#followers.add(each);
        this.#reachedHead(behind, head);
        return;
      }
    }
  }

  async #retry(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#parked.nextRetry(signal);
      this.#readers.notify();
    }
  }

  /** @param upTo everything up to here that the projections follow is in the batch or applied. */
  async #applyTo(
    projections: Iterable<TrackedProjection>,
    batch: readonly RecordedEnvelope[],
    upTo: Position,
  ): Promise<void> {
    if (batch.length > 0) {
      if (!this.#logKnown) await this.#nameLog();
      // For all: who joins the followers during this very await finds its events here too.
      const deliveries = await this.#decoder.decode(batch, this.#options.projections);
      const retryAt = this.#options.clock() + (this.#options.retryDelaysMs[0] ?? 0);
      const failures = applyBatch(
        this.#options.database,
        [...projections],
        deliveries,
        upTo,
        retryAt,
      );
      this.#parkedNow(failures);
    } else {
      for (const tracked of projections) {
        if (tracked.position < upTo) tracked.position = upTo;
      }
    }
    if (projections === this.#followers) this.#followed = upTo;
    this.#stalled = null;
    this.#backoff = this.#options.backoffMs[0];
    this.#readers.notify();
  }

  #parkedNow(failures: readonly NewFailure[]): void {
    if (failures.length === 0) return;
    for (const { projection, place, error } of failures) {
      this.#options.report('an event could not be applied', { projection, ...place, error });
    }
    this.#parked.refresh();
  }

  #reachedHead(projections: Iterable<TrackedProjection>, head: Position): void {
    const completed = [...projections].filter((each) => !each.complete && each.position >= head);
    for (const tracked of completed) tracked.complete = true;
    if (completed.length > 0) {
      this.#options.database.transaction((db) => {
        for (const tracked of completed) {
          bookkeeping.putCheckpoint(db, tracked.name, tracked.checkpoint(tracked.position));
        }
      });
    }
    for (const tracked of projections) tracked.caughtUp ||= tracked.position >= head;
    this.#readers.notify();
  }

  /** Before the first checkpoint: which log the rows belong to. */
  async #nameLog(): Promise<void> {
    const log = await this.#logIdentity();
    if (log === undefined) return;
    this.#options.database.transaction((db) => {
      bookkeeping.putSetting(db, 'log', log);
    });
    this.#logKnown = true;
  }

  // ---- readers

  #reading<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (error instanceof ReadDatabaseDamaged) {
        this.#forgetViews();
        this.#session.abort(error);
      }
      throw error;
    }
  }

  #requireKnown(projection: string): void {
    if (!this.#options.projections.some((each) => each.name === projection)) {
      throw new Error(`no such projection: ${projection}`);
    }
  }
}

async function firstOf<T>(items: AsyncIterable<T>): Promise<T | undefined> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    const first = await iterator.next();
    return first.done === true ? undefined : first.value;
  } finally {
    await iterator.return?.();
  }
}
