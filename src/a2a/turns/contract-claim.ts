import type { NamedContract } from '../../invocations/domain/authorization.js';
import { Faults, MemberReader, text } from '../../kernel/document-reader.js';
import { parseInteractionId, parseTermsHash } from '../../kernel/ids.js';
import { pointerTo } from '../../kernel/json.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { invalidParams } from '../tasks/domain/refusals.js';
import type { A2aRefusal } from '../wire/refusal.js';
import type { SendMessageRequest } from '../wire/types.js';

const readId = text(36, 'the id of an interaction, a lower-case UUID', parseInteractionId);
const readHash = text(43, 'a SHA-256 in base64url, 43 characters', parseTermsHash);

/**
 * The contract under which a message says that it is sent: `{interactionId, termsHash?}` and nothing
 * else, in the message's metadata under the URI of the trust extension; null when it says nothing of
 * the kind. Its sender need not have asked for the extension: what counts is what the message says.
 * Refuses with InvalidParams `contract-claim-invalid`.
 * @param uri of the trust extension
 */
export function readContractClaim(
  { message, metadata = {} }: SendMessageRequest,
  uri: string,
): Result<NamedContract | null, A2aRefusal> {
  const faults = new Faults();
  const place = pointerTo('/message/metadata', uri);
  // Whoever names a contract relies on its being checked: in the wrong place it would not be.
  if (Object.hasOwn(metadata, uri)) {
    faults.add(pointerTo('/metadata', uri), `belongs to the message itself, at ${place}`);
  }
  const contract = Object.hasOwn(message.metadata ?? {}, uri)
    ? readClaim(message.metadata?.[uri], place, faults)
    : null;
  return faults.all.length === 0
    ? ok(contract)
    : err(invalidParams('contract-claim-invalid', faults.all));
}

function readClaim(claim: unknown, place: string, faults: Faults): NamedContract | null {
  const reader = new MemberReader(claim, place, faults);
  const interactionId = reader.required('interactionId', readId);
  const termsHash = reader.optional('termsHash', readHash, null);
  reader.end();
  return interactionId === null ? null : { interactionId, termsHash };
}
