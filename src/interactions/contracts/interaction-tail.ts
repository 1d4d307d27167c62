import {
  START,
  type EventStore,
  type Position,
  type RecordedEnvelope,
} from '../../event-store/port.js';
import type { AgentId, InteractionId } from '../../kernel/ids.js';
import type { ReadModel } from '../../projections/port.js';
import { INTERACTION_STREAM_PREFIX } from '../domain/stream.js';
import { areParties } from './pairs.js';
import type { PartiesOfStreams } from './parties-of-streams.js';
import { contractsByPair } from './projection.js';

interface TailOptions {
  readonly store: Pick<EventStore, 'head' | 'readAll'>;
  readonly readModel: Pick<ReadModel, 'checkpoint' | 'waitFor'>;
  readonly parties: PartiesOfStreams;
  /** Longest wait for the view, in milliseconds. */
  readonly readWaitMs: number;
  /** An event of an interaction between these parties was appended. */
  readonly onTouched: (id: InteractionId, parties: readonly AgentId[]) => void;
  /** It has skipped a part of the log: what was told of before is not all. */
  readonly onSkipped: () => void;
  readonly limits?: TailLimits;
}

interface TailLimits {
  /** So many are kept although the view holds them, rather than ask it every time how far it is. */
  readonly kept: number;
  /** More than these are not kept: the view must have taken them up before a new pair is answered. */
  readonly touched: number;
}

const LIMITS: TailLimits = { kept: 512, touched: 50_000 };

/** Where an event stands. */
type Place = Pick<RecordedEnvelope, 'stream' | 'position'>;

interface Touched {
  readonly parties: readonly AgentId[];
  /** Of its newest event. */
  position: Position;
}

/** Events whose interactions are found out together. */
const BATCH = 256;

const INTERACTIONS = { streamPrefixes: [INTERACTION_STREAM_PREFIX] };

/** After such a rest, in milliseconds, it skips what the view holds, and does not read it itself. */
const REST_MS = 5_000;

/**
 * The part of the log that the view may not hold yet: which interactions it touches. It is read on at
 * each question, so that nothing is missed however far the view is behind, or if it stands still.
 */
export class InteractionTail {
  /** What is touched was touched after this position; the view has to be as far. */
  #from: Position | undefined;
  /** Everything up to here was read. */
  #at: Position = START;
  /** The newest last. */
  readonly #touched = new Map<InteractionId, Touched>();
  #reading: Promise<boolean> | undefined;
  #lastRead = 0;
  #isTorn = false;

  readonly #limits: TailLimits;

  constructor(private readonly options: TailOptions) {
    this.#limits = options.limits ?? LIMITS;
  }

  /**
   * True: everything that was appended before the call has been told of, or stands in a view that is
   * as far as {@link begin}. False: there is no view to begin from, or nobody can say of an
   * interaction whose it is.
   */
  async reachHead(): Promise<boolean> {
    const head = await this.options.store.head();
    while (this.#from === undefined || this.#at < head) {
      this.#reading ??= this.#readTo(head).finally(() => {
        this.#reading = undefined;
      });
      if (!(await this.#reading)) return false;
    }
    return !this.#isTorn;
  }

  /** A view that is not as far lacks what this no longer remembers. */
  get begin(): Position | undefined {
    return this.#from;
  }

  /** The interactions of two agents that were touched since {@link begin}. */
  touchedBetween(one: AgentId, other: AgentId): readonly InteractionId[] {
    const found: InteractionId[] = [];
    for (const [id, { parties }] of this.#touched) {
      if (areParties(parties, one, other)) found.push(id);
    }
    return found;
  }

  async #readTo(head: Position): Promise<boolean> {
    if (!(await this.#findBegin())) return false;
    const { store, parties } = this.options;
    const batch: Place[] = [];
    for await (const event of store.readAll(this.#at, INTERACTIONS)) {
      parties.note(event);
      batch.push({ stream: event.stream, position: event.position });
      if (batch.length === BATCH) await this.#noteAll(batch.splice(0));
    }
    await this.#noteAll(batch);
    if (this.#at < head) this.#at = head;
    this.#lastRead = performance.now();
    if (this.#touched.size > this.#limits.kept) this.#forget();
    return true;
  }

  /** False when the view was never complete. Later on it goes on where it was, or skips. */
  async #findBegin(): Promise<boolean> {
    const { readModel, readWaitMs } = this.options;
    if (this.#from === undefined) {
      await readModel.waitFor(START, readWaitMs, [contractsByPair.name]);
    } else if (performance.now() - this.#lastRead < REST_MS) return true;
    const checkpoint = readModel.checkpoint(contractsByPair.name);
    if (checkpoint !== undefined && (this.#from === undefined || checkpoint > this.#at)) {
      this.#touched.clear();
      // The view has parked what nobody can say the parties of.
      this.#isTorn = false;
      this.#from = this.#at = checkpoint;
      this.options.onSkipped();
    }
    return this.#from !== undefined;
  }

  async #noteAll(events: readonly Place[]): Promise<void> {
    await this.options.parties.learn(events.map(({ stream }) => stream));
    for (const event of events) {
      this.#note(event);
      this.#at = event.position;
      if (this.#touched.size > this.#limits.touched) this.#forget();
    }
  }

  #note({ stream, position }: Place): void {
    const id = stream.slice(INTERACTION_STREAM_PREFIX.length) as InteractionId;
    const parties = this.#touched.get(id)?.parties ?? this.options.parties.recall(stream);
    if (parties === undefined) {
      this.#isTorn = true;
      return;
    }
    this.#touched.delete(id);
    this.#touched.set(id, { parties, position });
    this.options.onTouched(id, parties);
  }

  /** What the view holds by now; and all, when it has stood still for too long. */
  #forget(): void {
    if (this.#from === undefined) return;
    const checkpoint = this.options.readModel.checkpoint(contractsByPair.name) ?? this.#from;
    for (const [id, { position }] of this.#touched) {
      if (position > checkpoint && this.#touched.size <= this.#limits.touched) break;
      if (position > this.#from) this.#from = position;
      this.#touched.delete(id);
    }
  }
}
