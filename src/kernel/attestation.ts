import type { KeyObject } from 'node:crypto';
import { hashJson } from './digest.js';
import { signEd25519, verifyEd25519, type Ed25519Jwk } from './ed25519.js';
import type {
  ContractRevision,
  PlatformAttestation,
  UnattestedRevision,
} from './federated-interaction.js';
import type { KeyId } from './ids.js';

/** b64u(SHA-256(JCS(revision document without `platformAttestation`))): 43 characters. */
export function revisionDigest(revision: UnattestedRevision | ContractRevision): string {
  return hashJson({ ...revision, platformAttestation: undefined });
}

/** Signs the ASCII bytes of the digest: `value = b64u(Ed25519(platformKey, ASCII(digest)))`. */
export function attestRevision(
  revision: UnattestedRevision,
  keyId: KeyId,
  key: KeyObject,
): PlatformAttestation {
  const digest = revisionDigest(revision);
  return { algorithm: 'Ed25519', keyId, value: signEd25519(key, digest), digest };
}

/** Says whether the attestation is this key's statement over exactly this revision document. */
export function verifyAttestation(revision: ContractRevision, jwk: Ed25519Jwk): boolean {
  const attestation = revision.platformAttestation;
  if (attestation === undefined) return false;
  if (attestation.digest !== revisionDigest(revision)) return false;
  return verifyEd25519(jwk, attestation.digest, attestation.value);
}
