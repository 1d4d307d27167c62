import type { Interaction } from '../../interactions/domain/interaction.js';
import { isBefore, type Timestamp } from '../../kernel/timestamp.js';
import type { GoverningTerms } from './authorization.js';

/** Whether these very terms still govern: not superseded, the contract neither ended nor expired. */
export function areInForce(
  { interactionId, revision }: GoverningTerms,
  interaction: Interaction,
  now: Timestamp,
): boolean {
  return (
    interaction.interactionId === interactionId &&
    interaction.status === 'active' &&
    interaction.inForce === revision &&
    isBefore(now, interaction.expiresAt)
  );
}
