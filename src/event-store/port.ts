import type { Brand } from '../kernel/brand.js';
import type { Result } from '../kernel/result.js';
import type { EventEnvelope, NewEnvelope } from '../kernel/envelope.js';

/**
 * A place in one engine's log. Opaque to callers, who may compare two of the same engine with `<`:
 * it is written as a fixed number of decimal digits, so text order is log order. Not contiguous.
 */
export type Position = Brand<string, 'Position'>;

/** Before the first event. */
export const START = '00000000000000000000' as Position;

/** `no-stream`, or the stream revision (from 0) on which the decision was made. */
export type ExpectedRevision = 'no-stream' | number;

export interface Appended {
  /** Revision of the last event appended. */
  readonly revision: number;
  /** Position of the last event appended. */
  readonly position: Position;
  /**
   * Said where the engine knows it: these very events were written now. Without it events of the same
   * ids may have been there before, and only the log tells what they hold.
   */
  readonly isNew?: true;
}

/** The heads of other streams that a decision was made on: stream name to revision. */
export type Basis = Readonly<Record<string, number>>;

export type AppendConflict =
  /** The stream was not where the decision was made. */
  | { readonly code: 'append-conflict'; readonly actual: ExpectedRevision }
  /** It was, and a stream of the basis was not. */
  | { readonly code: 'basis-moved' };

export interface RecordedEnvelope extends EventEnvelope {
  readonly position: Position;
}

/** Which events a reader wants: both lists must match where both are given. */
export interface EventFilter {
  /** Stream names begin with one of these. */
  readonly streamPrefixes?: readonly string[];
  readonly types?: readonly string[];
}

export type SubscriptionMessage =
  | { readonly kind: 'event'; readonly event: RecordedEnvelope }
  /** Everything up to `position` that the filter lets through has been delivered. */
  | { readonly kind: 'caught-up'; readonly position: Position };

/**
 * The log: the only thing that is ever appended to, and what everything else is computed from. Only
 * sealed texts and their envelopes pass through it. Each engine has an adapter; all of them pass the
 * same tests (`test/contracts`). Throws {@link EventStoreUnavailable} when the engine fails.
 */
export interface EventStore {
  /**
   * Appends all events or none, when the stream is exactly at `expected`; resolves only after the
   * engine has flushed them to disk. The same event ids sent again at the same expected revision
   * give the first result again.
   *
   * @param basis streams that have to stand exactly at these revisions as well: no event of theirs
   * comes between the decision and its events. An engine that commits to one stream at a time looks
   * at them right before: there a race of that moment goes unnoticed.
   */
  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEnvelope[],
    basis?: Basis,
  ): Promise<Result<Appended, AppendConflict>>;

  /**
   * The events of one stream from revision `from` (inclusive, default 0), at most `limit` of them
   * (default: all), and the engine reads no more than it gives; empty for no stream.
   */
  readStream(stream: string, from?: number, limit?: number): Promise<readonly RecordedEnvelope[]>;

  /** The newest event of one stream; undefined for no stream. */
  readLast(stream: string): Promise<RecordedEnvelope | undefined>;

  /** All events after a position, in log order, read in pages: memory stays flat. Ends at the head. */
  readAll(after: Position, filter?: EventFilter): AsyncIterable<RecordedEnvelope>;

  /**
   * Catch-up, then live, without a gap or a repetition. `caught-up` is sent each time the reader
   * has reached the head. Pull-based: a slow reader slows nobody else. Ends when `signal` aborts or
   * the store is closed; reconnects by itself otherwise.
   */
  subscribeAll(
    after: Position,
    options?: { readonly filter?: EventFilter; readonly signal?: AbortSignal },
  ): AsyncIterable<SubscriptionMessage>;

  /** Position of the newest event, `START` in an empty log. */
  head(): Promise<Position>;

  /**
   * Whether a reader may begin after this position: asked of one that comes from outside, since an
   * engine may be unable to read from a place that it never gave. False for that, for another
   * engine's, and beyond the head.
   */
  holds(position: Position): Promise<boolean>;

  close(): Promise<void>;
}

/**
 * A store that can forget: for streams outside of the audited log alone, whose bodies are deleted
 * for good. What an engine cannot do, it does not claim.
 */
export interface DeletableEventStore extends EventStore {
  /**
   * Deletes each stream whose newest event stands at exactly this position, in one transaction, and
   * leaves the others as they are: whatever was appended since the caller looked is safe. Positions
   * are never given again; a deleted name may begin anew at revision 0. The bytes are overwritten in
   * the file and its write-ahead log before it returns.
   *
   * @returns the names of the streams that are gone now.
   */
  deleteStreams(heads: ReadonlyMap<string, Position>): Promise<ReadonlySet<string>>;
}

/**
 * What went wrong with the engine itself (disk full, connection lost, locked): never shown to a
 * client, answered as `store-unavailable`.
 */
export class EventStoreUnavailable extends Error {
  override readonly name = 'EventStoreUnavailable';
}
