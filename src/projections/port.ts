import type { EventMetadata } from '../kernel/envelope.js';
import type { Position } from '../event-store/port.js';
import type { DomainEvent, Recorded } from '../kernel/event.js';

/**
 * What a context sees of the projections: `Projection` is what it writes, `ReadModel` is what its
 * query handlers ask. Neither knows which database stands behind.
 */

/** A value that a row may hold. Times and positions are texts, booleans 0 or 1; hashes may be bytes. */
export type SqlValue = string | number | Uint8Array | null;

/** Positional (`?`) values, or one object for named (`@name`) ones. */
export type SqlParameters = readonly SqlValue[] | readonly [Readonly<Record<string, SqlValue>>];

export interface ReadStatement<Row> {
  get(...parameters: SqlParameters): Row | undefined;
  all(...parameters: SqlParameters): Row[];
}

export interface WriteStatement<Row> extends ReadStatement<Row> {
  run(...parameters: SqlParameters): void;
}

/**
 * The read-model database, open only while `reset` or `apply` runs and inside the transaction that
 * also moves the projection's checkpoint. SQL is SQLite's. A handle kept for later throws.
 */
export interface ProjectionDatabase {
  /** Statements are cached by their text: prepare in place, at every use. */
  prepare<Row = Record<string, SqlValue>>(sql: string): WriteStatement<Row>;
  /** Any number of statements without parameters: for tables and indexes. */
  exec(sql: string): void;
  /**
   * What this transaction overwrote were texts that are erased: once it is committed, whatever else
   * the database keeps of its past is emptied, soon and in any case before it is opened again.
   */
  purge(): void;
}

/** An event with its place in the log, decoded and brought up to today's version. */
export type ProjectedEvent<E extends DomainEvent = DomainEvent> = Recorded<E> & {
  readonly id: string;
  readonly stream: string;
  readonly position: Position;
  readonly metadata: EventMetadata;
};

/**
 * What a projection takes of an event type. `texts` has to be unsealed, so ask for it only where a
 * row needs it; with `data` the texts of an event that has some are `erased`; `ignored` events are
 * not delivered.
 */
export type Takes = 'texts' | 'data' | 'ignored';

/**
 * A view: rows that follow from the log alone. Events come in log order, each exactly once.
 *
 * - Tables are named after the projection (`<name with _ for ->` or that and a suffix).
 * - A row carries texts only where a query needs them: texts are erased one day.
 * - `texts` may be `erased` at any time, also in the first event of a stream.
 * - A throw parks the event, and the stream with it, for this projection alone. It is tried again
 *   a bounded number of times, and as often after every restart.
 */
export interface Projection<E extends DomainEvent = DomainEvent> {
  /** Kebab case, unique, for ever. */
  readonly name: string;
  /** From 1. Any change of tables or of `apply` raises it: the view is then rebuilt from the log. */
  readonly version: number;
  /** Stream names begin with one of these (`interaction-`). */
  readonly streamPrefixes: readonly string[];
  /** Every type of those streams: a forgotten one does not compile. */
  readonly takes: Readonly<Record<E['type'], Takes>>;
  /** Drops its tables where they exist and creates them empty. */
  reset(db: ProjectionDatabase): void;
  /** Synchronous: all of it happens in one transaction. */
  apply(db: ProjectionDatabase, event: ProjectedEvent<E>): void;
}

/** The views as query handlers see them: read-only, and honest about how far they are. */
export interface ReadModel {
  /** A query. Statements are cached by their text: prepare in place, at every use. */
  prepare<Row = Record<string, SqlValue>>(sql: string): ReadStatement<Row>;

  /**
   * Waits until each of the projections (default: all) has reached the head of the log once since
   * the start or its rebuild, and has applied everything up to `position`. False when that is not
   * so after `timeoutMs`: answer `projection-behind`. Every list asks first, with `START` when the
   * caller brought no position token.
   */
  waitFor(position: Position, timeoutMs: number, projections?: readonly string[]): Promise<boolean>;

  /** False when an event of the stream could not be applied: what the view says of it is old. */
  isReliable(projection: string, stream: string): boolean;

  /**
   * The streams that are not reliable in a projection, for readers who look at many at once;
   * undefined before the views are taken up, when none is known to be.
   */
  unreliableStreams(projection: string): ReadonlySet<string> | undefined;

  /**
   * Up to where the rows of a projection are made: every event up to here is applied, or its stream
   * is unreliable. Rows that are read without an await in between belong to it. Undefined when the
   * view has not been complete since the start or its rebuild, or cannot be read.
   */
  checkpoint(projection: string): Position | undefined;

  /** The events of a stream that wait in some projection, oldest first. */
  parkedEvents(stream: string): readonly ParkedEvent[];
}

/** An event that a projection could not apply, or one that stands behind such an event. */
export interface ParkedEvent {
  readonly projection: string;
  readonly position: Position;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  /** Tries so far, counted anew from a restart: 0 for an event that only waits behind another. */
  readonly attempts: number;
  /** One line for operators, never for clients; null for an event that only waits. */
  readonly error: string | null;
  /** False once the bounded retries are used up: it is tried again at the next start. */
  readonly retrying: boolean;
}

/**
 * `rebuilding`: from the start of the log, answers are `projection-behind`; `catching-up`: was
 * complete once, now behind (after a down time); `following`: at the head.
 */
export type ProjectionState = 'rebuilding' | 'catching-up' | 'following';

export interface ProjectionHealth {
  readonly name: string;
  readonly version: number;
  readonly state: ProjectionState;
  /** Everything up to here is applied or parked. */
  readonly checkpoint: Position;
  /** Age of the oldest event not yet applied, in milliseconds; 0 at the head. */
  readonly lagMs: number;
  readonly parkedEvents: number;
  readonly unreliableStreams: number;
}

export interface ProjectionsHealth {
  readonly head: Position;
  readonly projections: readonly ProjectionHealth[];
  /** Why the runner is not making progress (store or read database), null while it is. */
  readonly stalled: string | null;
}
