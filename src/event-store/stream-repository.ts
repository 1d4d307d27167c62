import { LRUCache } from 'lru-cache';
import { ERASED, type DomainEvent, type Recorded } from '../kernel/event.js';
import type { EventEnvelope, EventMetadata, NewEnvelope } from '../kernel/envelope.js';
import type { Timestamp } from '../kernel/timestamp.js';
import { decodeEvent, keyOf, keyScopeOf, type EventTypes, type KeyOrErased } from './codec.js';
import { envelopeCharacters } from './envelope-characters.js';
import type { KeyStore } from './key-store.js';
import { isOneCommand } from './is-one-command.js';
import { START, type EventStore, type Position, type RecordedEnvelope } from './port.js';
import { FIRST_EVENTS, streamPages } from './stream-pages.js';

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
  /**
   * Whether the texts that a fold holds may have been erased without an event that says so yet (default:
   * never). Before one that was remembered is given, the key store is asked.
   */
  readonly mayLackKey?: (state: State) => boolean;
  /**
   * What may be given of an earlier state, seen from the head (default: all of it). Texts that the stream
   * says are erased are in no state of it any more, whatever the key store opens again.
   */
  readonly seenFrom?: (head: State, earlier: State) => State;
  /**
   * The head that a command on this state has to name, null where it names none (default: none ever).
   *
   * @param revision of the stream
   */
  readonly headOf?: (state: State, revision: number) => string | null;
}

/** A stream folded up to some revision. */
export interface Loaded<State> {
  readonly state: State;
  /** Revision of the last event folded, -1 for an empty stream. */
  readonly revision: number;
  /** Position of the last event folded. */
  readonly position: Position;
  readonly recordedAt: Timestamp | undefined;
  /** About how many characters of JSON its events are (`envelopeCharacters`): what the state may weigh. */
  readonly characters: number;
  /** Who wrote the last event folded; undefined for an empty stream. */
  readonly written: Written | undefined;
}

/** By which request an event was written; of several tries of one, the salt says which. */
export type Written = Pick<EventEnvelope, 'salt'> & Pick<EventMetadata, 'requestDigest'>;

/** Where a command's events ended, what was asked for, and what it was written against. */
export interface KnownCommand {
  readonly requestDigest: string;
  readonly lastRevision: number;
  /** As of before its first event: see {@link StreamKind.headOf}. */
  readonly head: string | null;
}

type Condition = (event: Pick<RecordedEnvelope, 'revision' | 'recordedAt' | 'position'>) => boolean;

/** An event as it is stored, and opened. */
interface Step<Event extends DomainEvent> {
  readonly envelope: RecordedEnvelope;
  readonly event: Recorded<Event>;
}

interface Cached<State> extends Loaded<State> {
  /** Shared by all later versions of the entry: it only ever grows, with facts of the log. */
  readonly commands: Map<string, KnownCommand>;
}

/** More than are worked on at once: what is kept for long is copied again and again by the collector. */
const CACHED_STREAMS = 2_000;
/** Of the events of all that are kept: how large they are is for those to say who write them. */
const CACHED_CHARACTERS = 32 * 1024 * 1024;
/** For an event and the command behind it, besides its texts and data. */
const PER_EVENT = 512;

/**
 * Reads streams of one kind by folding them, and remembers the folds: a read costs one look at the
 * stream's tail. The cache is never trusted beyond what the store confirms in the same call.
 */
export class StreamRepository<State, Event extends DomainEvent> {
  readonly #cache = new LRUCache<string, Cached<State>>({
    max: CACHED_STREAMS,
    maxSize: CACHED_CHARACTERS,
    sizeCalculation: ({ characters }) => characters + PER_EVENT,
  });

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
  load(stream: string): Promise<Loaded<State>> {
    return this.#advance(stream);
  }

  /** The stream as it was after the event of that revision (which must exist). */
  loadAtRevision(stream: string, revision: number): Promise<Loaded<State>> {
    return this.loadWhile(stream, (event) => event.revision <= revision);
  }

  /**
   * The stream folded over the leading events that satisfy a condition, and what else the last of their
   * commands has recorded; for questions about the past. Not cached.
   */
  async loadWhile(stream: string, condition: Condition): Promise<Loaded<State>> {
    let loaded: Loaded<State> = this.#empty();
    for await (const page of this.#pages(stream, 0, { condition })) {
      for (const step of page) loaded = this.#after(loaded, step);
    }
    const { state, revision, position, recordedAt, characters, written } = loaded;
    const past = { state, revision, position, recordedAt, characters, written };
    return this.kind.seenFrom === undefined ? past : this.#seen(await this.#advance(stream), past);
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
    const head = await this.#advance(stream, (loaded) => {
      if (loaded.revision === revision) passed = loaded;
    });
    return passed === undefined
      ? await this.loadAtRevision(stream, revision)
      : this.#seen(head, passed);
  }

  /**
   * Remembers a fold that a command's events have just made of another, as if they were read. Left alone
   * where that is not remembered any more, or somebody has read on.
   */
  remember(
    stream: string,
    before: Pick<Loaded<State>, 'state' | 'revision'>,
    after: Omit<Loaded<State>, 'characters'>,
    { commandId, envelopes }: { commandId: string; envelopes: readonly NewEnvelope[] },
  ): void {
    const current = this.#cache.get(stream) ?? this.#empty();
    if (current.revision !== before.revision) return;
    const { requestDigest = '' } = after.written ?? {};
    const { head } = this.#standing(before);
    const { commands } = current;
    commands.set(commandId, { requestDigest, lastRevision: after.revision, head });
    const characters = envelopes.reduce((sum, each) => sum + weightOf(each), current.characters);
    this.#keep(stream, { ...after, characters, commands });
  }

  #seen(head: Loaded<State>, earlier: Loaded<State>): Loaded<State> {
    const state = this.kind.seenFrom?.(head.state, earlier.state) ?? earlier.state;
    return state === earlier.state ? earlier : { ...earlier, state };
  }

  async #advance(
    stream: string,
    onStep?: (loaded: Loaded<State>) => void,
    start = this.#cache.get(stream) ?? this.#empty(),
  ): Promise<Cached<State>> {
    onStep?.(start);
    // Mostly nothing has come since, which takes a fraction of what it takes to go through pages.
    const first = await this.store.readStream(stream, start.revision + 1, FIRST_EVENTS);
    const entry = first.length === 0 ? start : await this.#foldOn(start, stream, first, onStep);
    if (start.revision === -1 || this.kind.mayLackKey?.(entry.state) !== true) return entry;
    if ((await this.keys.find(keyScopeOf(stream))) !== ERASED) return entry;
    // Whoever destroyed it has not said so, and may be dead: what is remembered is nobody's to read.
    this.#cache.delete(stream);
    return await this.#advance(stream, onStep, this.#empty());
  }

  async #foldOn(
    start: Cached<State>,
    stream: string,
    first: readonly RecordedEnvelope[],
    onStep?: (loaded: Loaded<State>) => void,
  ): Promise<Cached<State>> {
    let entry = start;
    const { revision: known, commands } = entry;
    const met = new Map<string, KnownCommand>();
    for await (const page of this.#pages(stream, known + 1, { first })) {
      for (const step of page) {
        const { metadata, revision } = step.envelope;
        const { commandId, requestDigest } = metadata;
        const { head } = met.get(commandId) ?? commands.get(commandId) ?? this.#standing(entry);
        met.set(commandId, { requestDigest, lastRevision: revision, head });
        entry = { ...this.#after(entry, step), commands };
        onStep?.(entry);
      }
    }
    // Only once the whole tail is folded: nobody may find a command that the fold does not hold.
    for (const [commandId, command] of met) commands.set(commandId, command);
    this.#keep(stream, entry);
    return entry;
  }

  #keep(stream: string, entry: Cached<State>): void {
    if (this.kind.mayRemember?.(entry.state) === false) {
      this.#cache.delete(stream);
      return;
    }
    // A slower reader of the same stream must not put an older fold back.
    const current = this.#cache.get(stream);
    if (current === undefined || current.revision < entry.revision) this.#cache.set(stream, entry);
  }

  /**
   * The events of a stream from a revision on, page by page, so that a fold holds no more of them, however many
   * there are: all, or those before the first command that fails the condition. All are opened with one key.
   */
  async *#pages(
    stream: string,
    from: number,
    {
      condition = () => true,
      first,
    }: { condition?: Condition; first?: readonly RecordedEnvelope[] },
  ): AsyncGenerator<readonly Step<Event>[], undefined> {
    let key: KeyOrErased;
    let last: RecordedEnvelope | undefined;
    for await (const envelopes of streamPages(this.store, stream, from, first && { first })) {
      const end = envelopes.findIndex((envelope, index) => {
        const before = index === 0 ? last : envelopes[index - 1];
        return !condition(envelope) && !isOneCommand(before, envelope);
      });
      last = envelopes.at(-1);
      const wanted = end === -1 ? envelopes : envelopes.slice(0, end);
      key ??= await keyOf(stream, wanted, this.keys);
      yield wanted.map((envelope) => ({
        envelope,
        event: decodeEvent(envelope, this.kind.types, key),
      }));
      if (end !== -1) return;
    }
  }

  #standing({
    state,
    revision,
  }: Pick<Loaded<State>, 'state' | 'revision'>): Pick<KnownCommand, 'head'> {
    return { head: this.kind.headOf?.(state, revision) ?? null };
  }

  #after(before: Loaded<State>, { envelope, event }: Step<Event>): Loaded<State> {
    const { revision, position, recordedAt, salt, metadata } = envelope;
    const state = this.kind.evolve(before.state, event);
    const characters = before.characters + weightOf(envelope);
    const written = { salt, requestDigest: metadata.requestDigest };
    return { state, revision, position, recordedAt, characters, written };
  }

  #empty(): Cached<State> {
    return {
      state: this.kind.initial,
      revision: -1,
      position: START,
      recordedAt: undefined,
      characters: 0,
      written: undefined,
      commands: new Map(),
    };
  }
}

function weightOf(envelope: NewEnvelope): number {
  return PER_EVENT + envelopeCharacters(envelope);
}
