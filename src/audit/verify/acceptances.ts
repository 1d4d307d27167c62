import type { Ed25519Jwk } from '../../kernel/ed25519.js';
import type {
  Acceptance,
  ContractRevision,
  FederatedInteraction,
} from '../../kernel/federated-interaction.js';
import {
  makeStatement,
  verifyStatement,
  type AcceptanceStatement,
} from '../../kernel/statements.js';
import { isBefore } from '../../kernel/timestamp.js';
import { failure, gap, type Flaw } from './check-result.js';
import { unknownKeyFlaw } from './unknown-key.js';
import {
  recordedWithin,
  sideOfEnd,
  someoneCompletes,
  type RecordedWithin,
} from './recorded-moment.js';
import type { VerificationKey, VerificationKeys } from './verification-keys.js';

/**
 * Who accepted: parties only, the proposer always, and every party exactly when the revision is
 * accepted.
 */
export function acceptancesFlaw(revision: ContractRevision): Flaw | undefined {
  const { acceptances, contract, proposedByAgentId, status } = revision;
  if (!Object.hasOwn(acceptances, proposedByAgentId)) {
    return failure('acceptance-missing', proposedByAgentId);
  }
  const missing = contract.parties.filter((party) => !Object.hasOwn(acceptances, party));
  if (status === 'accepted' && missing.length > 0) {
    return failure('acceptance-missing', missing.join(', '));
  }
  if (status !== 'accepted' && missing.length === 0) return failure('acceptance-surplus');
  if ((status === 'accepted' || status === 'proposed') && !someoneCompletes(revision)) {
    return failure('accepted-at-implausible', 'nobody accepted when the revision was last updated');
  }
  return undefined;
}

/**
 * One acceptance: it is a party's, of these terms; and if it is signed, the signature is that of the
 * agent's own key over the acceptance statement for this platform, and the key was valid by the
 * server's clock when the acceptance was recorded. Authentic first, permitted second.
 */
export function acceptanceFlaw(
  mapKey: string,
  acceptance: Acceptance,
  revision: ContractRevision,
  interaction: FederatedInteraction,
  keys: VerificationKeys,
): Flaw | undefined {
  const { agentId, method, signature } = acceptance;
  if (mapKey !== agentId) return failure('agent-id-mismatch', agentId);
  if (!revision.contract.parties.includes(agentId)) return failure('not-a-party');
  if (acceptance.termsHash !== revision.termsHash) return failure('accepts-other-terms');
  const recorded = recordedWithin(acceptance, revision);
  if (recorded === undefined) return failure('accepted-at-implausible');
  if (method !== 'ed25519') {
    return signature === undefined
      ? gap('method-without-signature', method)
      : failure('signature-unexpected', method);
  }
  if (signature === undefined) return failure('signature-missing');

  const statement = makeStatement<AcceptanceStatement>('federated-interaction/acceptance', {
    audience: keys.audience,
    interactionId: interaction.interactionId,
    revision: revision.revision,
    previousTermsHash: revision.previousTermsHash ?? null,
    termsHash: revision.termsHash,
    expiresAt: interaction.expiresAt,
    agentId,
    method,
    acceptedAt: acceptance.acceptedAt,
  });
  const isSignedBy = (jwk: Ed25519Jwk): boolean => verifyStatement(jwk, statement, signature.value);
  const ofAgent = keys.agents.get(agentId);
  const key = ofAgent?.get(signature.keyId);
  if (key === undefined)
    return unknownKeyFlaw(`${agentId} ${signature.keyId}`, ofAgent, isSignedBy);
  if (!key.key.ok) return failure(key.key.error, key.keyId);
  if (!isSignedBy(key.key.value)) return failure('signature-invalid', key.keyId);
  return keyWindowFlaw(key, recorded);
}

/**
 * Was the key valid at whatever moment within `recorded` the acceptance was recorded? A moment is no place in
 * the log: near the end of a key, which of the two was recorded first is not told here.
 */
function keyWindowFlaw(key: VerificationKey, recorded: RecordedWithin): Flaw | undefined {
  const { keyId, from, until, revoked } = key;
  if (isBefore(recorded.latest, from)) return failure('key-not-yet-valid', keyId);
  const ofRevocation = revoked === null ? 'before' : sideOfEnd(recorded, revoked);
  const ofEnd = until === null ? 'before' : sideOfEnd(recorded, until);
  if (ofRevocation === 'after') return failure('raced', keyId);
  if (ofEnd === 'after') return failure('key-window-ended', keyId);
  const isCertain =
    !isBefore(recorded.earliest, from) && ofRevocation === 'before' && ofEnd === 'before';
  return isCertain ? undefined : gap('recorded-moment-unknown', keyId);
}
