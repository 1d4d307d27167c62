import type { Rejection } from './rejection.js';
import type { Result } from './result.js';
import type { Timestamp } from './timestamp.js';

/**
 * An event as a decision makes it. `data` holds identifiers, hashes, statuses and signatures and
 * outlives an erasure; `texts` holds what people wrote and is sealed (null: this type has none).
 */
export interface DomainEvent<
  Type extends string = string,
  Data extends object = object,
  Texts extends object | null = object | null,
> {
  readonly type: Type;
  readonly data: Data;
  readonly texts: Texts;
}

/** The texts of an event whose key was destroyed, and what a key store answers of such a key. */
export const ERASED = 'erased';
export type Erased = typeof ERASED;

/** An event as the log holds it, its texts unsealed or known to be erased. */
export type Recorded<E extends DomainEvent> =
  E extends DomainEvent<infer Type, infer Data, infer Texts>
    ? {
        readonly type: Type;
        readonly data: Data;
        readonly texts: Texts extends null ? null : Texts | Erased;
        readonly recordedAt: Timestamp;
        /** Revision in the stream, from 0. */
        readonly revision: number;
      }
    : never;

/** `evolve` records and never judges; `decide` judges and never mutates. Both are pure. */
export interface Decider<State, Command, Event extends DomainEvent, Context> {
  readonly initial: State;
  evolve(state: State, event: Recorded<Event>): State;
  decide(state: State, command: Command, context: Context): Result<readonly Event[], Rejection>;
}

/** Folds events over a state: fold(fold(s, a), b) = fold(s, a ++ b). */
export function fold<State, Event extends DomainEvent>(
  evolve: (state: State, event: Recorded<Event>) => State,
  state: State,
  events: readonly Recorded<Event>[],
): State {
  return events.reduce(evolve, state);
}
