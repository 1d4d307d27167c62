import { Query } from '@nestjs/cqrs';
import type { InteractionId } from '../../kernel/ids.js';
import type { Interaction } from '../domain/interaction.js';

/**
 * The interaction folded to its stream's head, undefined when there is none; an expiry that is due
 * but not recorded is not computed. For other contexts and processes; never for showing to a caller.
 */
export class InteractionHead extends Query<Interaction | undefined> {
  constructor(readonly interactionId: InteractionId) {
    super();
  }
}
