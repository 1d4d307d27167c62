import { LRUCache } from 'lru-cache';
import type { EventStore } from '../../event-store/port.js';
import type { AgentId } from '../../kernel/ids.js';

const REMEMBERED = 50_000;

/**
 * Whose an interaction is, from the first event of its stream: its parties never change. It looks at
 * nothing else, so that it can tell them also of a stream that a later build has written on.
 */
export class PartiesOfStreams {
  readonly #known = new LRUCache<string, readonly AgentId[]>({ max: REMEMBERED });

  constructor(private readonly store: Pick<EventStore, 'readStream'>) {}

  /** Undefined: the first event does not tell. */
  async of(stream: string): Promise<readonly AgentId[] | undefined> {
    const known = this.#known.get(stream);
    if (known !== undefined) return known;
    const [first] = await this.store.readStream(stream);
    const parties = first?.data['parties'];
    if (!isListOfTexts(parties)) return undefined;
    this.#known.set(stream, parties as readonly AgentId[]);
    return parties as readonly AgentId[];
  }

  /** What {@link of} has found before. */
  recall(stream: string): readonly AgentId[] | undefined {
    return this.#known.get(stream);
  }
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
