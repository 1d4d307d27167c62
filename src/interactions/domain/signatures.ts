import type { Recorded } from '../../kernel/event.js';
import type { Rejection } from '../../kernel/rejection.js';
import type { InteractionEvent } from './events.js';
import type { Interaction } from './interaction.js';

/** The signature by which an agent acted: of an acceptance, or of another act; base64url. */
function signatureOf(event: InteractionEvent | Recorded<InteractionEvent>): string | undefined {
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

/** Those that served before, and the event's, if it carries one. */
export function withSignatureOf(
  served: readonly string[],
  event: Recorded<InteractionEvent>,
): readonly string[] {
  const value = signatureOf(event);
  return value === undefined ? served : [...served, value];
}

/**
 * Why events must not be recorded: one carries a signature that served before. What a statement binds
 * may come again (terms that are agreed anew have the hash that they had), and everybody who reads the
 * log has seen its signatures: without this rule a token would do where a key is asked for.
 *
 * Refuses with `signature-invalid`.
 */
export function refusalOfServed(
  state: Interaction | undefined,
  events: readonly InteractionEvent[],
): Rejection | undefined {
  const isServed = events.some((event) => {
    const value = signatureOf(event);
    return value !== undefined && state?.signatures.includes(value) === true;
  });
  return isServed ? SERVED : undefined;
}

const SERVED: Rejection = {
  code: 'signature-invalid',
  detail: 'This signature is recorded with an earlier act of the interaction: sign anew.',
};
