import type { EventEnvelope } from '../../../kernel/envelope.js';
import type { RestingPlace } from './resting-states.js';

/** One event of the log. */
export interface ReplayEntry {
  /** Of the leaf, from 0: places in the log are compared by it. Any growing number will do. */
  readonly index: number;
  /** As it came: it is judged here. */
  readonly envelope: unknown;
  /**
   * The texts that were sealed, when whoever gives the entry has them: they are held against the
   * hashes. Undefined or null: without them.
   */
  readonly texts?: unknown;
}

/** That there is an event of this revision, which is not told. */
export interface WithheldPlace {
  readonly index: number;
  readonly stream: string;
  readonly revision: number;
}

export interface ReplayOptions {
  /** The platform's public base URL: every statement names it. */
  readonly audience: string;
  /** The 32-byte key that opens the sealed texts of a stream. */
  readonly dataKey?: (stream: string) => Uint8Array | undefined;
  /**
   * Says which streams are judged here; the others are folded only, when they are needed to judge.
   * Several threads so share one log: each gets the events of agents and platform keys, and those of
   * its own interactions.
   */
  readonly judges?: (stream: string) => boolean;
  /**
   * Keeps every contract, so that the wire documents can be rebuilt. Otherwise only that of the open
   * proposal, which the next events need.
   */
  readonly documents?: boolean;
  /**
   * The entries are a selection of the log: what they lack is not checkable, where in a whole log it
   * is a failure.
   */
  readonly partial?: boolean;
  /**
   * Where the states of streams that nothing has touched lately rest, a place of its own for each kind
   * of them: then memory does not grow with the log. Without it they stay in memory.
   */
  readonly restingPlace?: (kind: 'interactions' | 'tails') => RestingPlace;
}

/** An event whose envelope has the right form, at its place. */
export interface PlacedEvent {
  readonly index: number;
  readonly envelope: EventEnvelope;
  readonly texts: unknown;
}

/** What checks are about: `<stream>@<revision>`. */
export function subjectOf({
  stream,
  revision,
}: Pick<EventEnvelope, 'stream' | 'revision'>): string {
  return `${stream}@${revision}`;
}
