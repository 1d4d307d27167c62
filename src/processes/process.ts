import type { CommandEnvelope } from '../event-store/command-execution.js';
import type { Position } from '../event-store/port.js';
import type { EventMetadata } from '../kernel/envelope.js';
import type { DomainEvent, Recorded } from '../kernel/event.js';
import type { Rejection } from '../kernel/rejection.js';
import type { Result } from '../kernel/result.js';
import type { NotedItem } from './calendar-events.js';

/** What caused an effect: becomes part of the metadata of the effect's events. */
export interface Cause {
  /** Id of the causing event. */
  readonly eventId: string;
  readonly correlationId: string;
}

/** An event that a process watches, without its texts. */
export type WatchedEvent<E extends DomainEvent> = Recorded<E> & {
  readonly id: string;
  readonly stream: string;
  readonly position: Position;
  readonly metadata: EventMetadata;
};

/** What an event changes on a process's agenda. */
export type AgendaChange<Item> =
  | {
      readonly kind: 'add';
      readonly key: string;
      readonly item: Item;
      /** Milliseconds since the epoch, inclusive. */
      readonly dueAt: number | 'at-once';
    }
  /** The same item, due as before, with more known about it. */
  | { readonly kind: 'replace'; readonly key: string; readonly item: Item }
  | { readonly kind: 'remove'; readonly key: string }
  | { readonly kind: 'none' };

/** Nothing is called for yet: the item becomes due at that moment (milliseconds since the epoch). */
export interface NotBefore {
  readonly notBefore: number;
}

/**
 * How items are noted that are due much later. For processes that ask the streams' heads what is to be
 * done, and whose later events may find an item no longer on the agenda, once it is noted, or find it as
 * `recall` makes it.
 */
export interface CalendarRules<Item> {
  note(item: Item): Omit<NotedItem, 'dueAt'>;

  recall(noted: NotedItem): { readonly key: string; readonly item: Item };
}

/** Something idempotent that a process does: a command that it gives, or the destruction of keys. */
export interface Effect {
  /** Names the effect for ever: the same name is the same command, on every node and in every try. */
  readonly name: readonly (string | number)[];
  readonly cause: Cause;
  perform(envelope: CommandEnvelope): Promise<Result<unknown, Rejection>>;
}

/**
 * A process: the rules alone. Its runner reads the log for it and keeps lease and checkpoint; the
 * process says what an event makes it do, and when.
 */
export interface Process<E extends DomainEvent, Item> {
  /** Kebab case, for ever: the name of its stream. */
  readonly name: string;
  readonly streamPrefixes: readonly string[];
  /** The event types that it watches. */
  readonly watches: readonly E['type'][];

  /**
   * Before anything else at every start of a node, whoever holds the lease; tried again until it succeeds.
   * @param signal aborted when the node stops
   */
  begin?(signal: AbortSignal): Promise<void>;

  /** Pure: made anew from the log at every start. `pending` finds what is on the agenda. */
  react(event: WatchedEvent<E>, pending: (key: string) => Item | undefined): AgendaChange<Item>;

  /** The commands that an item calls for now, or when it will; reads the log, never a projection. */
  effects(item: Item): Promise<readonly Effect[] | NotBefore>;

  /** Without it whatever is due later stays in memory, and holds the checkpoint before it. */
  readonly calendar?: CalendarRules<Item>;

  /** What a refusal means: `settled` when the effect is no longer called for, else `later`. */
  judge(refusal: Rejection): 'settled' | 'later';
}
