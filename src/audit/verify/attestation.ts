import { revisionDigest, verifyAttestation } from '../../kernel/attestation.js';
import type { Ed25519Jwk } from '../../kernel/ed25519.js';
import type { ContractRevision } from '../../kernel/federated-interaction.js';
import { isBefore, type Timestamp } from '../../kernel/timestamp.js';
import { failure, gap, type Flaw } from './check-result.js';
import { sideOfEnd } from './recorded-moment.js';
import { unknownKeyFlaw } from './unknown-key.js';
import type { PlatformVerificationKey, VerificationKeys } from './verification-keys.js';

/**
 * Exactly the accepted revisions are attested: by a platform key of that purpose, over the digest
 * recomputed from the document, within the key's window.
 */
export function attestationFlaw(
  revision: ContractRevision,
  keys: VerificationKeys,
): Flaw | undefined {
  const { platformAttestation, status, updatedAt } = revision;
  if (status !== 'accepted') {
    return platformAttestation === undefined ? undefined : failure('attestation-unexpected');
  }
  if (platformAttestation === undefined) return failure('attestation-missing');
  if (platformAttestation.digest !== revisionDigest(revision)) return failure('digest-mismatch');

  const isSignedBy = (jwk: Ed25519Jwk): boolean => verifyAttestation(revision, jwk);
  const { keyId } = platformAttestation;
  const key = keys.platform.get(keyId);
  if (key === undefined) return unknownKeyFlaw(`platform ${keyId}`, keys.platform, isSignedBy);
  if (key.purpose !== 'attestation') return failure('key-purpose', `${key.keyId} ${key.purpose}`);
  if (!key.key.ok) return failure(key.key.error, key.keyId);
  if (!isSignedBy(key.key.value)) return failure('signature-invalid', key.keyId);
  return platformKeyWindowFlaw(key, updatedAt);
}

/**
 * The document dates the attestation in the words of the very key that signed it. Once that key is
 * revoked these words prove nothing, so an earlier date makes the attestation not checkable here:
 * the place in the log has to tell. Nor does a date near the key's end tell which of the two was first.
 */
function platformKeyWindowFlaw(
  { keyId, from, until, revoked }: PlatformVerificationKey,
  attestedAt: Timestamp,
): Flaw | undefined {
  const attested = { earliest: attestedAt, latest: attestedAt };
  if (isBefore(attestedAt, from)) return failure('key-not-yet-valid', keyId);
  if (revoked !== null && sideOfEnd(attested, revoked) === 'after') {
    return failure('key-revoked', keyId);
  }
  const ofEnd = until === null ? 'before' : sideOfEnd(attested, until);
  if (ofEnd === 'after') return failure('key-window-ended', keyId);
  if (revoked !== null) return gap('log-position-needed', `position of ${keyId}`);
  return ofEnd === 'before' ? undefined : gap('recorded-moment-unknown', keyId);
}
