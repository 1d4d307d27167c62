import { jwkThumbprint, parsePublicKey, type Ed25519Jwk } from '../../kernel/ed25519.js';
import type { AgentId, KeyId } from '../../kernel/ids.js';
import type { JsonPointer } from '../../kernel/json.js';
import type { Rejection, RejectionCode } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { makeStatement, verifyStatement, type KeyProofStatement } from '../../kernel/statements.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { AgentContext } from './context.js';
import type { RegisteredKey } from './events.js';
import { MAX_KEYS } from './limits.js';
import { isWithinLeeway } from './signed-moment.js';

/** A public key as submitted: members of a JWK (RFC 8037), or a base64url SPKI DER (RFC 8410). */
export type KeyMaterial =
  | { readonly form: 'jwk'; readonly kty: string; readonly crv: string; readonly x: string }
  | { readonly form: 'spki'; readonly spki: string };

/** A key and the proof that the submitter holds its private half. */
export interface KeySubmission {
  readonly keyId: KeyId;
  readonly material: KeyMaterial;
  /** The new key's own signature over the `agent/key-proof` statement of this moment. */
  readonly proof: { readonly signedAt: Timestamp; readonly value: string };
}

/**
 * Admits keys beside those that the agent has or ever had: 64 in all, ids and keys each unique for
 * ever. `pointer` says where in the request the n-th submission stands, for the refusal.
 *
 * Refuses with `too-many-keys`, `key-malformed`, `key-unsafe-point`, `key-id-taken`, `key-exists`,
 * `signed-time-out-of-range` and `key-proof-invalid`.
 */
export function admitKeys(
  agentId: AgentId,
  existing: Iterable<RegisteredKey>,
  submissions: readonly KeySubmission[],
  context: AgentContext,
  pointer: (index: number) => JsonPointer,
): Result<readonly RegisteredKey[], Rejection> {
  const known = [...existing];
  if (known.length + submissions.length > MAX_KEYS) return err({ code: 'too-many-keys' });
  const admitted: RegisteredKey[] = [];
  for (const [index, submission] of submissions.entries()) {
    const key = admitKey(agentId, [...known, ...admitted], submission, context);
    if (!key.ok) {
      const detail = `Key ${submission.keyId} is refused: ${key.error}.`;
      return err({ code: key.error, faults: [{ pointer: pointer(index), detail }] });
    }
    admitted.push(key.value);
  }
  return ok(admitted);
}

function admitKey(
  agentId: AgentId,
  known: readonly RegisteredKey[],
  submission: KeySubmission,
  context: AgentContext,
): Result<RegisteredKey, RejectionCode> {
  const { keyId, proof } = submission;
  const jwk = parseMaterial(submission.material);
  if (!jwk.ok) return jwk;
  const thumbprint = jwkThumbprint(jwk.value);
  if (known.some((key) => key.keyId === keyId)) return err('key-id-taken');
  if (known.some((key) => key.jwkThumbprint === thumbprint)) return err('key-exists');
  if (!isWithinLeeway(proof.signedAt, context.now, context.leewayMs)) {
    return err('signed-time-out-of-range');
  }
  const statement = makeStatement<KeyProofStatement>('agent/key-proof', {
    audience: context.audience,
    agentId,
    jwkThumbprint: thumbprint,
    keyId,
    signedAt: proof.signedAt,
  });
  if (!verifyStatement(jwk.value, statement, proof.value)) return err('key-proof-invalid');
  return ok({
    keyId,
    jwk: jwk.value,
    jwkThumbprint: thumbprint,
    proof: { signedAt: proof.signedAt, value: proof.value },
  });
}

/** Characters of the canonical base64url of 32 bytes, and of 44. */
const X_LENGTH = 43;
const SPKI_LENGTH = 59;

/** Each form is read as itself: an SPKI in `x`, or a bare point in `spki`, is a mistake. */
function parseMaterial(
  material: KeyMaterial,
): Result<Ed25519Jwk, 'key-malformed' | 'key-unsafe-point'> {
  switch (material.form) {
    case 'jwk':
      return material.kty === 'OKP' && material.crv === 'Ed25519' && material.x.length === X_LENGTH
        ? parsePublicKey(material.x)
        : err('key-malformed');
    case 'spki':
      return material.spki.length === SPKI_LENGTH
        ? parsePublicKey(material.spki)
        : err('key-malformed');
  }
}
