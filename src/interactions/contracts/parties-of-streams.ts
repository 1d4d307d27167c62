import { LRUCache } from 'lru-cache';
import type { EventStore, RecordedEnvelope } from '../../event-store/port.js';
import type { AgentId } from '../../kernel/ids.js';

const REMEMBERED = 50_000;

/** Streams that are read at the same time. */
const READS_AT_ONCE = 16;

type FirstEvent = Pick<RecordedEnvelope, 'stream' | 'revision' | 'data'>;

/**
 * Whose an interaction is, from the first event of its stream: its parties never change. It looks at
 * nothing else, so that it can tell them also of a stream that a later build has written on.
 */
export class PartiesOfStreams {
  readonly #known = new LRUCache<string, readonly AgentId[]>({ max: REMEMBERED });

  constructor(private readonly store: Pick<EventStore, 'readStream'>) {}

  /** Reads those that it does not know, some at the same time; {@link recall} tells them then. */
  async learn(streams: Iterable<string>): Promise<void> {
    const unknown = [...new Set(streams)].filter((stream) => !this.#known.has(stream));
    for (let next = 0; next < unknown.length; next += READS_AT_ONCE) {
      const some = unknown.slice(next, next + READS_AT_ONCE);
      const read = await Promise.all(
        some.map(async (stream) => await this.store.readStream(stream, 0, 1)),
      );
      for (const [first] of read) if (first !== undefined) this.note(first);
    }
  }

  /** Saves a read when it is the first event of its stream. */
  note({ stream, revision, data: { parties } }: FirstEvent): void {
    if (revision !== 0 || !isListOfTexts(parties)) return;
    this.#known.set(stream, parties as readonly AgentId[]);
  }

  /** Undefined: not learnt, or the first event does not tell. */
  recall(stream: string): readonly AgentId[] | undefined {
    return this.#known.get(stream);
  }
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
