import { isExpiryDue } from '../../interactions/domain/expiry.js';
import type { Interaction } from '../../interactions/domain/interaction.js';
import type { AgentId } from '../../kernel/ids.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { AuthorizationCode, NamedContract } from './authorization.js';

/**
 * Why an interaction that a message names has no terms in force between the two agents.
 * @param interaction undefined when there is none of that id between them
 */
export function whyNotInForce(
  interaction: Interaction | undefined,
  { interactionId }: NamedContract,
  pair: readonly AgentId[],
  now: Timestamp,
): AuthorizationCode {
  if (interaction?.interactionId !== interactionId) return 'contract-not-found';
  if (!pair.every((agent) => interaction.parties.includes(agent))) return 'contract-not-found';
  if (interaction.inForce === null) return 'contract-not-in-force';
  switch (interaction.status) {
    case 'expired':
      return 'contract-expired';
    case 'cancelled':
    case 'completed':
      return 'contract-ended';
    case 'active':
    case 'pending':
    case 'rejected':
      // It came into force after the contracts between the two were asked for.
      return isExpiryDue(interaction, now) ? 'contract-expired' : 'contract-not-in-force';
  }
}
