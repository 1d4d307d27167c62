import type { Position } from '../event-store/port.js';
import { BatchesUndone } from './apply-batch.js';
import * as bookkeeping from './bookkeeping.js';
import { Decoder } from './decoding.js';
import { errorSummary } from './error-summary.js';
import { LateCommit } from './late-commit.js';
import { ParkedStreams } from './parked-streams.js';
import { pause } from './pause.js';
import type {
  ParkedEvent,
  ProjectionHealth,
  ProjectionsHealth,
  ReadModel,
  ReadStatement,
} from './port.js';
import { projectionHealth } from './projection-health.js';
import { ProjectionSession, type ProjectionSessionOptions } from './projection-session.js';
import { isDatabaseFault, ReadDatabaseDamaged } from './read-database.js';
import { withDefaults, type ProjectionRunnerOptions } from './runner-options.js';
import { stateOfLog, takeUp } from './take-up.js';
import type { TrackedProjection } from './tracked-projection.js';
import { TrackedViews } from './tracked-views.js';
import { WaitingReaders } from './waiting-readers.js';

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
  readonly #views: TrackedViews;
  readonly #parked: ParkedStreams;
  readonly #readers = new WaitingReaders();
  readonly #commit: LateCommit;
  readonly #stopping = new AbortController();
  readonly #sessionOptions: ProjectionSessionOptions;
  #session: ProjectionSession;
  #running: Promise<void> | undefined;
  #stalled: string | null = 'not started';
  #backoff: number;

  constructor(options: ProjectionRunnerOptions) {
    this.#options = withDefaults(options);
    const { types, keys, database, projections, backoffMs, retryDelaysMs } = this.#options;
    this.#backoff = backoffMs[0];
    this.#views = new TrackedViews(projections);
    const decoder = new Decoder(types, keys);
    this.#parked = new ParkedStreams(this.#options, decoder, () => this.#views.all());
    this.#commit = new LateCommit(database, (fault) => {
      this.#session.end(fault);
    });
    this.#sessionOptions = {
      ...this.#options,
      decoder,
      parked: this.#parked,
      readers: this.#readers,
      commit: this.#commit,
      firstRetryMs: retryDelaysMs[0] ?? 0,
      onProgress: () => {
        this.#progressed();
      },
    };
    this.#session = new ProjectionSession(this.#sessionOptions);
  }

  /** Returns at once; `waitFor` tells when the views can answer. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends the work and stores how far it came. The database stays open: its owner closes it. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#session.end();
    await this.#running;
    this.#commit.stop();
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
    projections?: readonly string[],
  ): Promise<boolean> {
    for (const name of projections ?? []) this.#views.requireKnown(name);
    const { database } = this.#options;
    return await this.#readers.until(
      () => !database.isCutBack && this.#views.haveReached(position, projections),
      timeoutMs,
    );
  }

  isReliable(projection: string, stream: string): boolean {
    return this.#views.get(projection)?.unreliableStreams.has(stream) === false;
  }

  unreliableStreams(projection: string): ReadonlySet<string> | undefined {
    return this.#views.get(projection)?.unreliableStreams;
  }

  checkpoint(projection: string): Position | undefined {
    if (this.#views.get(projection)?.caughtUp !== true) return undefined;
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
    if (this.#views.isEmpty) return [];
    return bookkeeping.parkedIn(this, stream);
  }

  /** Figures for operators. Asks the store for its head, so it fails when the store does. */
  async health(): Promise<ProjectionsHealth> {
    const head = await this.#options.store.head();
    const projections: ProjectionHealth[] = [];
    for (const tracked of this.#views.all()) {
      projections.push(await projectionHealth(tracked, head, this.#options));
    }
    return { head, projections, stalled: this.#stalled };
  }

  // ---- sessions

  async #run(): Promise<void> {
    const [, longest] = this.#options.backoffMs;
    while (!this.#stopping.signal.aborted) {
      this.#session = new ProjectionSession(this.#sessionOptions);
      try {
        const views = await this.#takeUp();
        await this.#session.run(views);
      } catch (error) {
        if (error instanceof BatchesUndone) continue;
        this.#stalled = errorSummary(error);
        this.#options.report('projections stand still', { error });
        if (error instanceof ReadDatabaseDamaged) this.#replaceDatabase();
        await pause(this.#backoff, this.#stopping.signal);
        this.#backoff = Math.min(this.#backoff * 2, longest);
      }
    }
    this.#stalled = 'stopped';
  }

  async #takeUp(): Promise<readonly TrackedProjection[]> {
    const { store, engine, database, projections, clock } = this.#options;
    const views = takeUp(await stateOfLog(store, engine), database, projections, {
      // A start may bring the mended handler, or the event's key may be back.
      retryAllAt: this.#views.isEmpty ? clock() : null,
      before: (name) => this.#views.get(name),
    });
    this.#views.takenUp(views);
    this.#parked.refresh();
    return views;
  }

  #progressed(): void {
    this.#stalled = null;
    this.#backoff = this.#options.backoffMs[0];
    this.#readers.notify();
  }

  #replaceDatabase(): void {
    this.#views.forget();
    this.#options.report('the read database is damaged; it is moved aside and rebuilt', {});
    try {
      this.#options.database.replace();
    } catch (error) {
      this.#options.report('the read database could not be replaced', { error });
    }
  }

  // ---- readers

  #reading<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (error instanceof ReadDatabaseDamaged) {
        this.#views.forget();
        this.#session.end(error);
      }
      throw error;
    }
  }
}
