import { LRUCache } from 'lru-cache';
import { fold, type DomainEvent, type Recorded } from '../kernel/event.js';
import type { Timestamp } from '../kernel/timestamp.js';
import { decodeEvent, keyOf, type EventTypes } from './codec.js';
import type { KeyStore } from './key-store.js';
import { START, type EventStore, type Position } from './port.js';

/** How one kind of stream is read: its event types and how they fold. */
export interface StreamKind<State, Event extends DomainEvent> {
  readonly types: EventTypes<Event>;
  readonly initial: State;
  readonly evolve: (state: State, event: Recorded<Event>) => State;
  /**
   * Whether a fold may be remembered (default: always): not if it holds texts that are erased without an
   * event in the stream that would make it forget them.
   */
  readonly mayRemember?: (state: State) => boolean;
}

/** A stream folded up to some revision. */
export interface Loaded<State> {
  readonly state: State;
  /** Revision of the last event folded, -1 for an empty stream. */
  readonly revision: number;
  /** Position of the last event folded. */
  readonly position: Position;
  readonly recordedAt: Timestamp | undefined;
}

/** Where a command's events ended, and what was asked for. */
export interface KnownCommand {
  readonly requestDigest: string;
  readonly lastRevision: number;
}

interface Cached<State> extends Loaded<State> {
  /** Shared by all later versions of the entry: it only ever grows, with facts of the log. */
  readonly commands: Map<string, KnownCommand>;
}

/** More than are worked on at once: what is kept for long is copied again and again by the collector. */
const CACHED_STREAMS = 2_000;

/**
 * Reads streams of one kind by folding them, and remembers the folds: a read costs one look at the
 * stream's tail. The cache is never trusted beyond what the store confirms in the same call.
 */
export class StreamRepository<State, Event extends DomainEvent> {
  readonly #cache = new LRUCache<string, Cached<State>>({ max: CACHED_STREAMS });

  constructor(
    private readonly store: EventStore,
    private readonly keys: KeyStore,
    private readonly kind: StreamKind<State, Event>,
  ) {}

  /** A stream that does not exist. */
  get nothing(): Loaded<State> {
    return this.#empty();
  }

  /** The stream at its head. */
  async load(stream: string): Promise<Loaded<State>> {
    return this.#advance(stream);
  }

  /** The stream as it was after the event of that revision (which must exist). */
  async loadAtRevision(stream: string, revision: number): Promise<Loaded<State>> {
    return this.loadWhile(stream, (event) => event.revision <= revision);
  }

  /**
   * The stream folded over the leading events that satisfy a condition, for questions about the
   * past. Not cached.
   */
  async loadWhile(
    stream: string,
    condition: (event: {
      readonly revision: number;
      readonly recordedAt: Timestamp;
      readonly position: Position;
    }) => boolean,
  ): Promise<Loaded<State>> {
    const envelopes = await this.store.readStream(stream);
    const end = envelopes.findIndex((envelope) => !condition(envelope));
    const wanted = end === -1 ? envelopes : envelopes.slice(0, end);
    const key = await keyOf(stream, wanted, this.keys);
    const events = wanted.map((envelope) => decodeEvent(envelope, this.kind.types, key));
    const last = wanted.at(-1);
    return {
      state: fold(this.kind.evolve, this.kind.initial, events),
      revision: last?.revision ?? -1,
      position: last?.position ?? START,
      recordedAt: last?.recordedAt,
    };
  }

  /** The stream at its head, and whether a command is already in it. */
  async loadWithCommand(
    stream: string,
    commandId: string,
  ): Promise<{ loaded: Loaded<State>; known: KnownCommand | undefined }> {
    const loaded = await this.#advance(stream);
    return { loaded, known: loaded.commands.get(commandId) };
  }

  /**
   * The stream after the event of that revision, taken from the cache's path when the fold passes
   * it on the way to the head, so that an answer costs no second read.
   */
  async advanceTo(stream: string, revision: number): Promise<Loaded<State>> {
    let passed: Loaded<State> | undefined;
    await this.#advance(stream, (loaded) => {
      if (loaded.revision === revision) passed = loaded;
    });
    return passed ?? this.loadAtRevision(stream, revision);
  }

  async #advance(stream: string, onStep?: (loaded: Loaded<State>) => void): Promise<Cached<State>> {
    let entry = this.#cache.get(stream) ?? this.#empty();
    onStep?.(entry);
    const tail = await this.store.readStream(stream, entry.revision + 1);
    if (tail.length === 0) return entry;
    const key = await keyOf(stream, tail, this.keys);
    for (const envelope of tail) {
      const event = decodeEvent(envelope, this.kind.types, key);
      entry = {
        state: this.kind.evolve(entry.state, event),
        revision: envelope.revision,
        position: envelope.position,
        recordedAt: envelope.recordedAt,
        commands: entry.commands,
      };
      onStep?.(entry);
    }
    // Only once the whole tail is folded: nobody may find a command that the fold does not hold.
    for (const { metadata, revision } of tail) {
      const { commandId, requestDigest } = metadata;
      entry.commands.set(commandId, { requestDigest, lastRevision: revision });
    }
    if (this.kind.mayRemember?.(entry.state) === false) {
      this.#cache.delete(stream);
      return entry;
    }
    // A slower reader of the same stream must not put an older fold back.
    const current = this.#cache.get(stream);
    if (current === undefined || current.revision < entry.revision) this.#cache.set(stream, entry);
    return entry;
  }

  #empty(): Cached<State> {
    return {
      state: this.kind.initial,
      revision: -1,
      position: START,
      recordedAt: undefined,
      commands: new Map(),
    };
  }
}
