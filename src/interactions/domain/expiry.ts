import { isBefore, type Timestamp } from '../../kernel/timestamp.js';
import type { InteractionExpired } from './events.js';
import { evolve } from './evolve.js';
import type { Interaction } from './interaction.js';
import { isTerminal } from './revisions.js';
import { streamRevisionOf } from './stream.js';

/** At `expiresAt` exactly, not a moment later, and only of what has not ended otherwise. */
export function isExpiryDue(interaction: Interaction, now: Timestamp): boolean {
  return !isTerminal(interaction.status) && !isBefore(now, interaction.expiresAt);
}

export function interactionExpired(interaction: Interaction): InteractionExpired {
  const { interactionId, expiresAt } = interaction;
  return {
    type: 'interaction-expired',
    data: { interactionId, effectiveAt: expiresAt },
    texts: null,
  };
}

/**
 * The interaction as it stands at `now`: an expiry that is due but not yet recorded is computed, by
 * folding the very event that will be recorded, so that both show the same bytes and one `version`.
 */
export function effectiveAt(interaction: Interaction, now: Timestamp): Interaction {
  if (!isExpiryDue(interaction, now)) return interaction;
  // Nothing of the event's own place reaches the state: an expiry is dated by `effectiveAt`.
  return evolve(interaction, {
    ...interactionExpired(interaction),
    recordedAt: now,
    revision: streamRevisionOf(interaction) + 1,
  });
}
