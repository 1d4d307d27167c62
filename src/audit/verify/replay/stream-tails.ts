import { isBefore, type Timestamp } from '../../../kernel/timestamp.js';
import { failure, gap, type Flaw } from '../check-result.js';
import type { PlacedEvent, WithheldPlace } from './entry.js';
import { RestingStates, type Packing, type RestingPlace } from './resting-states.js';

/** The last event of a stream so far. */
interface Tail {
  revision: number;
  /** Null: nothing is told of any. */
  recordedAt: Timestamp | null;
  /** Its place in the log. */
  index: number;
}

const TAIL_PACKING: Packing<Tail> = {
  pack: ({ revision, recordedAt, index }) => JSON.stringify([revision, recordedAt, index]),
  unpack: (text) => {
    const [revision, recordedAt, index] = JSON.parse(text) as [number, Timestamp | null, number];
    return { revision, recordedAt, index };
  },
};

/** Where each stream ends so far: revisions follow each other without gaps, and time does not go back. */
export class StreamTails {
  /** Of the streams that decisions everywhere rest on. */
  readonly #heads = new Map<string, Tail>();
  readonly #others: RestingStates<Tail>;

  constructor(
    private readonly partial: boolean,
    private readonly isHead: (stream: string) => boolean,
    place?: RestingPlace,
  ) {
    this.#others = new RestingStates(TAIL_PACKING, place);
  }

  /** Of a stream that decisions everywhere rest on; undefined before its first event. */
  head(stream: string): number | undefined {
    return this.#heads.get(stream)?.revision;
  }

  /** The event is the stream's last one from now on, in order or not. */
  advance({ index, envelope }: PlacedEvent): Flaw | undefined {
    const { stream, revision, recordedAt } = envelope;
    const tail = this.#find(stream);
    const flaw = this.#gapFlaw(tail, revision) ?? timeFlaw(tail, recordedAt);
    this.#set(stream, tail, { revision, recordedAt, index });
    return flaw;
  }

  /** As {@link advance}, of an event that is not told. */
  withhold({ stream, revision, index }: WithheldPlace): Flaw | undefined {
    const tail = this.#find(stream);
    const flaw = this.#gapFlaw(tail, revision);
    this.#set(stream, tail, { revision, recordedAt: tail?.recordedAt ?? null, index });
    return flaw;
  }

  /** Streams but the heads, with names behind this one, in the order of the names. */
  *since(index: number, after: string): Generator<string, void> {
    for (const [stream, tail] of this.#others.entries(after)) {
      if (tail.index >= index) yield stream;
    }
  }

  rest(): void {
    this.#others.rest();
  }

  #find(stream: string): Tail | undefined {
    return (this.isHead(stream) ? this.#heads : this.#others).get(stream);
  }

  #gapFlaw(tail: Tail | undefined, revision: number): Flaw | undefined {
    const expected = (tail?.revision ?? -1) + 1;
    if (revision === expected) return undefined;
    const missing = `revision ${expected} is not there`;
    return this.partial && revision > expected
      ? gap('events-missing', missing)
      : failure('revision-gap', missing);
  }

  #set(stream: string, known: Tail | undefined, tail: Tail): void {
    if (known !== undefined) Object.assign(known, tail);
    else (this.isHead(stream) ? this.#heads : this.#others).set(stream, tail);
  }
}

function timeFlaw(tail: Tail | undefined, recordedAt: Timestamp): Flaw | undefined {
  const last = tail?.recordedAt ?? null;
  return last !== null && isBefore(recordedAt, last)
    ? failure('recorded-earlier', `${recordedAt} after ${last}`)
    : undefined;
}
