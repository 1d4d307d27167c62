import { failure, type Flaw } from '../check-result.js';
import type { InteractionEvent } from './event-data.js';
import type { ReplayedInteraction } from './replayed-interaction.js';

/** The signature by which a party acted, if it signed: of an acceptance, or of another act. */
function signatureOf(event: InteractionEvent): string | undefined {
  switch (event.type) {
    case 'interaction-proposed':
    case 'revision-proposed':
    case 'revision-accepted':
      return event.data.acceptance.signature?.value;
    case 'revision-rejected':
    case 'revision-withdrawn':
    case 'interaction-cancelled':
    case 'outcome-reported':
    case 'erasure-consented':
      return event.data.signature?.value;
    // The attestation is the platform's.
    case 'revision-attested':
    case 'interaction-completed':
    case 'interaction-expired':
    case 'texts-erased':
      return undefined;
  }
}

/** Those that served before this event, and its own. */
export function withSignatureOf(
  served: readonly string[],
  event: InteractionEvent,
): readonly string[] {
  const value = signatureOf(event);
  return value === undefined ? served : [...served, value];
}

/**
 * A signature serves once in its interaction. What a statement names can come again, as terms do that are
 * agreed anew; and everybody who reads the log has the signatures of then.
 */
export function servedFlaw(
  { signatures }: ReplayedInteraction,
  event: InteractionEvent,
): Flaw | undefined {
  const value = signatureOf(event);
  return value !== undefined && signatures.includes(value)
    ? failure('signature-repeated')
    : undefined;
}
