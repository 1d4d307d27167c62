import type { Decider, Recorded } from '../../kernel/event.js';
import type { AgentId } from '../../kernel/ids.js';
import { ok } from '../../kernel/result.js';
import type { CardEvent } from './card-events.js';

/**
 * Raised whenever the same capabilities come to give other public skills. 2: how they are invoked
 * directly belongs to them. 3: of those alone that have a backend.
 */
export const CARD_GENERATOR = 3;

interface PublishedList {
  readonly version: number;
  readonly digest: string;
}

/** What is published of one agent's public skills. */
export interface PublishedCards {
  /** Of the newest list; 0 before the first. */
  readonly version: number;
  /** Whose list is the newest; 0 before the first. */
  readonly generator: number;
  /** The newest list of each generator. */
  readonly lists: ReadonlyMap<number, PublishedList>;
}

/** Publishes the skills that a generator made, when they are others than the published ones. */
export interface PublishSkills {
  readonly agentId: AgentId;
  readonly generator: number;
}

/** What was made: read after the head of the stream, so that it is not older than that. */
export interface GeneratedSkills {
  /** Of the public skills: see `skillsDigest`. */
  readonly digest: string;
}

/**
 * The number under which a generator's skills are published, undefined when they are not.
 *
 * While two builds run side by side, the newer one's skills are the newest, and the older build goes
 * on serving its own under their old number: otherwise each would publish against the other for ever.
 */
export function publishedVersion(
  cards: PublishedCards,
  generator: number,
  digest: string,
): number | undefined {
  const newest = cards.lists.get(cards.generator);
  if (newest?.digest === digest) return newest.version;
  if (cards.generator <= generator) return undefined;
  const own = cards.lists.get(generator);
  return own?.digest === digest ? own.version : undefined;
}

export const cardPublishing: Decider<PublishedCards, PublishSkills, CardEvent, GeneratedSkills> = {
  initial: { version: 0, generator: 0, lists: new Map() },

  evolve(cards: PublishedCards, { data }: Recorded<CardEvent>): PublishedCards {
    const { version, digest, generator } = data;
    return { version, generator, lists: new Map(cards.lists).set(generator, { version, digest }) };
  },

  decide(cards, { agentId, generator }, { digest }) {
    if (publishedVersion(cards, generator, digest) !== undefined) return ok([]);
    const data = { agentId, version: cards.version + 1, digest, generator };
    return ok([{ type: 'card-published', data, texts: null }]);
  },
};
