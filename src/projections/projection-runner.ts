import type { EventTypes } from '../event-store/codec.js';
import type { KeyStore } from '../event-store/key-store.js';
import type { EventStore, Position } from '../event-store/port.js';
import type { DomainEvent } from '../kernel/event.js';
import type { Report } from '../kernel/report.js';
import type { Clock } from '../kernel/timestamp.js';
import type { NewFailure } from './apply-batch.js';
import * as bookkeeping from './bookkeeping.js';
import { Decoder, streamsOf } from './decoding.js';
import { errorSummary } from './error-summary.js';
import { Feed, storePositions } from './feed.js';
import { firstOf } from './first-of.js';
import { ParkedStreams } from './parked-streams.js';
import { pause } from './pause.js';
import type {
  ParkedEvent,
  Projection,
  ProjectionHealth,
  ProjectionsHealth,
  ReadModel,
  ReadStatement,
} from './port.js';
import { isDatabaseFault, ReadDatabaseDamaged, type ReadDatabase } from './read-database.js';
import { takeUp } from './take-up.js';
import type { TrackedProjection } from './tracked-projection.js';
import { WaitingReaders } from './waiting-readers.js';

export interface ProjectionRunnerOptions {
  readonly store: EventStore;
  /** What keeps the store: views of a log that has moved to another engine are made anew. */
  readonly engine?: string;
  readonly keys: Pick<KeyStore, 'findAll'>;
  /** The event types of all contexts whose streams the projections follow. */
  readonly types: EventTypes<DomainEvent>;
  readonly database: ReadDatabase;
  readonly projections: readonly Projection[];
  readonly clock: Clock;
  readonly report: Report;
  /**
   * Pauses before the retries of a failed event, in milliseconds; then it stays parked until the
   * next start, which tries again as often.
   */
  readonly retryDelaysMs?: readonly number[];
  /** Events in one transaction while catching up. */
  readonly batchSize?: number;
  /** First and longest pause after the store or the database failed, in milliseconds. */
  readonly backoffMs?: readonly [first: number, longest: number];
}

/**
 * Batches that come within this time share a commit, in milliseconds: most rows are changed again
 * soon after they were made, and every page that a commit finds changed is written.
 */
const COMMIT_AFTER_MS = 1000;

/** Failures of one batch that are reported one by one. */
const REPORTED_FAILURES = 10;

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
  #commit: NodeJS.Timeout | undefined;

  /** Empty until the first session. */
  #tracked: ReadonlyMap<string, TrackedProjection> = new Map();
  #stalled: string | null = 'not started';
  #backoff: number;

  constructor(options: ProjectionRunnerOptions) {
    this.#options = {
      engine: '',
      retryDelaysMs: [50, 200, 800],
      batchSize: 500,
      backoffMs: [100, 5000],
      ...options,
    };
    this.#backoff = this.#options.backoffMs[0];
    const names = options.projections.map((each) => each.name);
    if (new Set(names).size < names.length) throw new Error('two projections have one name');
    this.#decoder = new Decoder(options.types, options.keys);
    this.#parked = new ParkedStreams(this.#options, this.#decoder, () => this.#tracked.values());
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
    clearTimeout(this.#commit);
    this.#readers.close();
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

  unreliableStreams(projection: string): ReadonlySet<string> | undefined {
    this.#requireKnown(projection);
    return this.#tracked.get(projection)?.quarantined;
  }

  checkpoint(projection: string): Position | undefined {
    this.#requireKnown(projection);
    if (this.#tracked.get(projection)?.caughtUp !== true) return undefined;
    try {
      // What is stored, which is never ahead of the rows; after a fault they may have gone back.
      const stored = bookkeeping.getCheckpoint(this, projection);
      return stored?.complete === true ? stored.position : undefined;
    } catch (error) {
      if (isDatabaseFault(error)) return undefined;
      throw error;
    }
  }

  parkedEvents(stream: string): readonly ParkedEvent[] {
    if (this.#tracked.size === 0) return [];
    return bookkeeping.parkedIn(this, stream);
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
      try {
        await this.#runSession(this.#session);
      } catch (error) {
        this.#stalled = errorSummary(error);
        this.#options.report('projections stand still', { error });
        if (error instanceof ReadDatabaseDamaged) this.#replaceDatabase();
        await pause(this.#backoff, this.#stopping.signal);
        this.#backoff = Math.min(this.#backoff * 2, longest);
      }
    }
    this.#stalled = 'stopped';
  }

  async #runSession(session: AbortController): Promise<void> {
    const { store, engine, database, projections, clock, batchSize, retryDelaysMs } = this.#options;
    database.resume();
    const tracked = await takeUp(store, database, projections, {
      engine,
      // A start may bring the mended handler, or the event's key may be back.
      retryAllAt: this.#tracked.size === 0 ? clock() : null,
      wasCaughtUp: (name) => this.#tracked.get(name)?.caughtUp === true,
    });
    this.#tracked = new Map(tracked.map((each) => [each.name, each]));
    this.#parked.refresh();
    const feed = new Feed(
      {
        store,
        engine,
        database,
        clock,
        decoder: this.#decoder,
        batchSize,
        firstRetryMs: retryDelaysMs[0] ?? 0,
        onProgress: () => {
          this.#progressed();
        },
        onUncommitted: () => {
          this.#commitSoon(session);
        },
        onFailures: (failures) => {
          this.#failed(failures);
        },
      },
      tracked,
    );
    const { signal } = session;
    const follow = async () => {
      await feed.follow(signal);
      if (!signal.aborted) throw new Error('the event store has ended the subscription');
    };
    await together(session, [follow(), feed.catchUp(signal), this.#retry(signal)]);
    if (isDatabaseFault(signal.reason)) throw signal.reason;
    storePositions(database, tracked);
  }

  async #retry(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#parked.nextRetry(signal);
      this.#readers.notify();
    }
  }

  #commitSoon(session: AbortController): void {
    this.#commit ??= setTimeout(() => {
      this.#commit = undefined;
      try {
        this.#options.database.flush();
      } catch (error) {
        session.abort(error);
      }
    }, COMMIT_AFTER_MS);
  }

  #progressed(): void {
    this.#stalled = null;
    this.#backoff = this.#options.backoffMs[0];
    this.#readers.notify();
  }

  #failed(failures: readonly NewFailure[]): void {
    for (const { projection, place, error } of failures.slice(0, REPORTED_FAILURES)) {
      const { position, stream, revision, type } = place;
      const about = { projection, position, stream, revision, type, error };
      this.#options.report('an event could not be applied', about);
    }
    const others = failures.length - REPORTED_FAILURES;
    if (others > 0) this.#options.report('more events could not be applied', { others });
    this.#parked.refresh();
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

/** All tasks of a session end with the first that fails. */
async function together(session: AbortController, tasks: readonly Promise<void>[]): Promise<void> {
  const ended = tasks.map(async (task) => {
    try {
      await task;
    } catch (error) {
      session.abort();
      throw error;
    }
  });
  const failed = (await Promise.allSettled(ended)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}
