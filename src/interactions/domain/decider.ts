import type { Decider } from '../../kernel/event.js';
import type { InteractionCommand } from './commands.js';
import type { InteractionContext } from './context.js';
import { decide } from './decide.js';
import type { InteractionEvent } from './events.js';
import { evolve } from './evolve.js';
import type { Interaction } from './interaction.js';

/** The interaction: proposal, counter-proposals, consent, amendments, and one of five ends. */
export const interactionDecider: Decider<
  Interaction | undefined,
  InteractionCommand,
  InteractionEvent,
  InteractionContext
> = { initial: undefined, evolve, decide };
