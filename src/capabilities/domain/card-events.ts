import type { DomainEvent } from '../../kernel/event.js';
import type { AgentId } from '../../kernel/ids.js';

/** The public skills of an agent, or how they are invoked directly, are others than before. */
export type CardPublished = DomainEvent<
  'card-published',
  {
    readonly agentId: AgentId;
    /** From 1, without gaps: the third number of the card's version. */
    readonly version: number;
    /** Of what the public card says of skills: see `skillsDigest`. */
    readonly digest: string;
    /** Generation of the code that made the skills from the registry, from 1. */
    readonly generator: number;
  },
  null
>;

export type CardEvent = CardPublished;
