import type { EventEnvelope } from '../../../kernel/envelope.js';
import { isBefore, type Timestamp } from '../../../kernel/timestamp.js';
import { failure, gap, type Flaw } from '../check-result.js';

interface Tail {
  revision: number;
  recordedAt: Timestamp | undefined;
}

/** Where each stream ends so far: revisions follow each other without gaps, and time does not go back. */
export class StreamTails {
  readonly #tails = new Map<string, Tail>();

  constructor(private readonly partial: boolean) {}

  /** Undefined before the first event. */
  revision(stream: string): number | undefined {
    return this.#tails.get(stream)?.revision;
  }

  /** The event is the stream's last one from now on, in order or not. */
  advance({ stream, revision, recordedAt }: EventEnvelope): Flaw | undefined {
    const tail = this.#tails.get(stream);
    const flaw = this.#gapFlaw(tail, revision) ?? timeFlaw(tail, recordedAt);
    this.#set(stream, tail, revision, recordedAt);
    return flaw;
  }

  /** As {@link advance}, of an event that is not told. */
  withhold(stream: string, revision: number): Flaw | undefined {
    const tail = this.#tails.get(stream);
    const flaw = this.#gapFlaw(tail, revision);
    this.#set(stream, tail, revision, tail?.recordedAt);
    return flaw;
  }

  #gapFlaw(tail: Tail | undefined, revision: number): Flaw | undefined {
    const expected = (tail?.revision ?? -1) + 1;
    if (revision === expected) return undefined;
    const missing = `revision ${expected} is not there`;
    return this.partial && revision > expected
      ? gap('events-missing', missing)
      : failure('revision-gap', missing);
  }

  #set(
    stream: string,
    tail: Tail | undefined,
    revision: number,
    recordedAt: Timestamp | undefined,
  ): void {
    if (tail === undefined) this.#tails.set(stream, { revision, recordedAt });
    else {
      tail.revision = revision;
      tail.recordedAt = recordedAt;
    }
  }
}

function timeFlaw(tail: Tail | undefined, recordedAt: Timestamp): Flaw | undefined {
  return tail?.recordedAt !== undefined && isBefore(recordedAt, tail.recordedAt)
    ? failure('recorded-earlier', `${recordedAt} after ${tail.recordedAt}`)
    : undefined;
}
