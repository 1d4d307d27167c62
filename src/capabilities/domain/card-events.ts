import type { DomainEvent } from '../../kernel/event.js';
import type { AgentId } from '../../kernel/ids.js';

/** The public skills of an agent are others than before. */
export type CardPublished = DomainEvent<
  'card-published',
  {
    readonly agentId: AgentId;
    /** From 1, without gaps: the third number of the card's version. */
    readonly version: number;
    /** b64u(SHA-256(JCS(skills))) of the public card's skills. */
    readonly digest: string;
    /** Generation of the code that made the skills from the registry, from 1. */
    readonly generator: number;
  },
  null
>;

export type CardEvent = CardPublished;
