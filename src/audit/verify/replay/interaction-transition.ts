import { failure, type Flaw } from '../check-result.js';
import type { PlacedEvent } from './entry.js';
import { illegal } from './erasure-rules.js';
import type { InteractionEvent } from './event-data.js';
import type { ReplayedInteraction } from './replayed-interaction.js';
import type { Signers } from './signature-results.js';
import { beginningFlaw, transitionFlaw } from './transitions.js';

/**
 * May the event stand here? First by the interaction itself, then by the parties that consent.
 *
 * @param state undefined before the first event
 * @param audience the platform's
 */
export function interactionTransitionFlaw(
  state: ReplayedInteraction | undefined,
  event: InteractionEvent,
  placed: PlacedEvent,
  audience: string,
  { partyNamed }: Signers,
): Flaw | undefined {
  if (event.type === 'interaction-proposed') {
    if (state !== undefined) return illegal('it was proposed before');
    if (event.data.audience !== audience) return failure('audience-differs');
    return beginningFlaw(event.data, placed) ?? partiesFlaw(event.data.parties, partyNamed);
  }
  if (state === undefined) return illegal('nothing was proposed');
  const isConsent = event.type === 'revision-proposed' || event.type === 'revision-accepted';
  return (
    transitionFlaw(state, event, placed) ??
    (isConsent ? partiesFlaw(state.parties, partyNamed) : undefined)
  );
}

/** Nothing comes into force with a party that is not registered, or no more. */
function partiesFlaw(
  parties: readonly string[],
  partyNamed: Signers['partyNamed'],
): Flaw | undefined {
  for (const agentId of parties) {
    const party = partyNamed(agentId);
    const isThere = party !== undefined && (typeof party === 'string' || !party.isRetired);
    if (!isThere) return failure('party-unknown', agentId);
  }
  return undefined;
}
