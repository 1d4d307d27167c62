import { hashJson } from '../../../kernel/digest.js';
import { verifyEd25519, type Ed25519Jwk } from '../../../kernel/ed25519.js';
import type { EventEnvelope } from '../../../kernel/envelope.js';
import type { PlatformAttestation } from '../../../kernel/federated-interaction.js';
import { failure, gap, type Flaw } from '../check-result.js';
import type { ReplayedInteraction, ReplayedRevision } from './replayed-interaction.js';
import type { ReplayedPlatformKeys } from './replayed-platform-keys.js';
import { wireRevision } from './wire-document.js';

/**
 * The platform's statement over the revision as it stands accepted: by an attestation key that was
 * there at the head which the decision was based on, and at this place in the log is neither retired
 * nor revoked, unless a retirement overtook the decision. Without the texts the digest cannot be
 * recomputed, but the signature over it can be verified.
 */
export function attestationFlaw(
  { keyId, digest, value }: PlatformAttestation,
  revision: ReplayedRevision,
  interaction: ReplayedInteraction,
  platformKeys: ReplayedPlatformKeys,
  { recordedAt, metadata }: EventEnvelope,
): Flaw | undefined {
  const { keys, ignorance } = platformKeys;
  const document = wireRevision(interaction, {
    ...revision,
    status: 'accepted',
    updatedAt: recordedAt,
  });
  if (document !== undefined && hashJson(document) !== digest) return failure('digest-mismatch');
  const key = keys.find(keyId);
  if (key !== undefined && key.purpose !== 'attestation') return failure('key-purpose', keyId);
  const isSignedBy = (jwk: Ed25519Jwk): boolean => verifyEd25519(jwk, digest, value);
  const flaw = keys.signatureFlaw(keyId, isSignedBy, recordedAt, ignorance);
  // Agents race; the platform's own key was revoked before.
  if (flaw?.reason === 'raced') return failure('key-revoked', keyId);
  const head = metadata.basedOn['platform-keys'] ?? null;
  // A rotation casts no doubt on the old key: a node that decided before it may sign with that one.
  const isOvertaken =
    flaw?.reason === 'key-window-ended' &&
    head !== null &&
    platformKeys.mayBeOvertaken(keyId, head, interaction.expected?.decidedAfter ?? Infinity);
  if (flaw !== undefined && !isOvertaken) return flaw;
  if (head !== null && !platformKeys.wasAddedBy(keyId, head)) {
    return failure('key-not-current', `${keyId}, at platform-keys@${head}`);
  }
  return document === undefined ? gap('texts-missing', 'contract') : undefined;
}
