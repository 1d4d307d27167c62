import { jwkThumbprint } from '../../../kernel/ed25519.js';
import type { AgentId } from '../../../kernel/ids.js';
import {
  makeStatement,
  verifyStatement,
  type KeyProofStatement,
} from '../../../kernel/statements.js';
import type { Timestamp } from '../../../kernel/timestamp.js';
import { failure, type Flaw } from '../check-result.js';
import type { AgentEvent, RegisteredKeyData } from './event-data.js';
import { unsafePoint, type KeyHistory } from './key-history.js';
import { signedMomentFits } from './transitions.js';

/** Whose key it is. */
interface Owner {
  readonly agentId: AgentId;
  /** The platform's, which the proof names. */
  readonly audience: string;
  /** Before the event that adds it. */
  readonly keys: KeyHistory;
}

/** The keys that an event brings, in their order. */
export function keysAdded(event: AgentEvent): readonly RegisteredKeyData[] {
  switch (event.type) {
    case 'agent-registered':
      return event.data.keys;
    case 'agent-key-added':
      return [event.data.key];
    case 'agent-key-revoked':
    case 'agent-methods-changed':
    case 'agent-policy-changed':
    case 'agent-clients-changed':
    case 'agent-transport-changed':
    case 'agent-retired':
      return [];
  }
}

/**
 * A key is new, safe, and its owner has shown to hold the private half.
 *
 * @param others that the same event brings before it
 */
export function keyProofFlaw(
  { agentId, audience, keys }: Owner,
  { keyId, jwk, jwkThumbprint: thumbprint, proof }: RegisteredKeyData,
  others: readonly RegisteredKeyData[],
  recordedAt: Timestamp,
): Flaw | undefined {
  if (thumbprint !== jwkThumbprint(jwk)) return failure('thumbprint-mismatch', keyId);
  const isTaken = others.some((other) => other.keyId === keyId || other.jwk.x === jwk.x);
  if (isTaken || keys.has(keyId, jwk)) return failure('key-repeated', keyId);
  const unsafe = unsafePoint(jwk);
  if (unsafe !== undefined) return failure(unsafe, keyId);
  if (!signedMomentFits(proof.signedAt, recordedAt, true)) {
    return failure('signed-at-implausible', keyId);
  }
  const statement = makeStatement<KeyProofStatement>('agent/key-proof', {
    audience,
    agentId,
    jwkThumbprint: thumbprint,
    keyId,
    signedAt: proof.signedAt,
  });
  return verifyStatement(jwk, statement, proof.value)
    ? undefined
    : failure('signature-invalid', keyId);
}
