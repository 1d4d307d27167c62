import { decodeEvent, type EventTypes } from '../event-store/codec.js';
import {
  START,
  type EventStore,
  type Position,
  type RecordedEnvelope,
} from '../event-store/port.js';
import { ERASED, type DomainEvent } from '../kernel/event.js';
import type { Clock } from '../kernel/timestamp.js';
import type { Agenda } from './agenda.js';
import type { ReportFault } from './fault.js';
import type { AgendaChange, Process } from './process.js';
import type { RetriedLoop } from './retried-loop.js';

export interface FollowedLogOptions<E extends DomainEvent, Item> {
  readonly process: Process<E, Item>;
  /** The types of the context whose events the process watches. */
  readonly types: EventTypes<E>;
  readonly store: EventStore;
  readonly agenda: Agenda<Item>;
  readonly clock: Clock;
  readonly reportFault: ReportFault;
  readonly loop: RetriedLoop;
  /** Aborted when the process stops. */
  readonly signal: AbortSignal;
  readonly onCaughtUp: () => void;
}

/** How far a process has read. */
export interface ReadSoFar {
  /** Whether the log has been read to its head: it may hold what ends something on the agenda. */
  readonly isFollowing: boolean;
  /** Everything up to here was read. */
  readonly seen: Position;
  /** How many events, since the start. */
  readonly eventsRead: number;
  /** When the newest of them was read; 0 before the first. */
  readonly lastEventAt: number;
  /** How many of them this build does not understand. */
  readonly unreadable: number;
}

/** What a process reads of the log, from its checkpoint on: each event changes the agenda. */
export class FollowedLog<E extends DomainEvent, Item> implements ReadSoFar {
  #isFollowing = false;
  #seen: Position = START;
  #eventsRead = 0;
  #lastEventAt = 0;
  #unreadable = 0;

  constructor(private readonly options: FollowedLogOptions<E, Item>) {}

  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  get seen(): Position {
    return this.#seen;
  }

  get eventsRead(): number {
    return this.#eventsRead;
  }

  get lastEventAt(): number {
    return this.#lastEventAt;
  }

  get unreadable(): number {
    return this.#unreadable;
  }

  /**
   * Reads until the process stops.
   * @param checkpoint where to begin when nothing was read yet.
   */
  async follow(checkpoint: Position): Promise<void> {
    if (this.#seen < checkpoint) this.#seen = checkpoint;
    await this.options.loop.run(async () => await this.#readOn());
  }

  async #readOn(): Promise<void> {
    const { process, store, loop, signal, onCaughtUp } = this.options;
    const { streamPrefixes, watches } = process;
    const messages = store.subscribeAll(this.#seen, {
      filter: { streamPrefixes, types: watches },
      signal,
    });
    for await (const message of messages) {
      loop.madeProgress();
      if (message.kind === 'event') {
        this.#read(message.event);
        this.#seen = message.event.position;
      } else {
        this.#seen = message.position;
        this.#isFollowing = true;
        onCaughtUp();
      }
    }
    if (!signal.aborted) throw new Error('the event store has ended the subscription');
  }

  #read(envelope: RecordedEnvelope): void {
    const { process, types, agenda, clock, reportFault } = this.options;
    const { id, stream, position, metadata } = envelope;
    this.#eventsRead++;
    this.#lastEventAt = clock();
    try {
      const decoded = decodeEvent(envelope, types, ERASED);
      const event = { id, stream, position, metadata, ...decoded };
      this.#change(
        process.react(event, (key) => agenda.get(key)),
        position,
      );
    } catch (error) {
      // From a later build, most likely: a node of that build does what it asks for. The checkpoint
      // stays before it, so that this node sees it again after its own update.
      reportFault(`event ${id} of ${stream} cannot be read`, error);
      this.#unreadable++;
      agenda.block(this.#seen);
    }
  }

  #change(change: AgendaChange<Item>, position: Position): void {
    const { agenda, clock } = this.options;
    switch (change.kind) {
      case 'add': {
        const { key, item } = change;
        const dueAt = change.dueAt === 'at-once' ? clock() : change.dueAt;
        const origin = { kind: 'event', position, after: this.#seen } as const;
        agenda.add({ key, item, dueAt, origin });
        return;
      }
      case 'replace':
        agenda.replace(change.key, change.item);
        return;
      case 'remove':
        agenda.remove(change.key);
        return;
      case 'none':
        return;
    }
  }
}
