import type { Ed25519Jwk } from '../../kernel/ed25519.js';
import type { KeyId } from '../../kernel/ids.js';
import { isBefore, type Timestamp } from '../../kernel/timestamp.js';
import type { Agent, AgentKey } from './agent.js';
import { isByToken } from './methods.js';

/**
 * The key, if it may sign now, for a decision on the agent as it stands. A key whose end is recorded
 * signs nothing more, whatever any clock says of that end: the end is in the log already, and so before
 * whatever is decided now.
 *
 * @param now by the server: a signer's own date would let a retired key sign back into its window.
 */
export function validKey(
  agent: Agent,
  keyId: KeyId,
  now: Timestamp,
): AgentKey | 'key-not-found' | 'key-not-valid' {
  const key = agent.keys.get(keyId);
  if (key === undefined) return 'key-not-found';
  return key.until === null && !isBefore(now, key.from) ? key : 'key-not-valid';
}

/**
 * The agent accepts by its own signature and by no token, and then signs its other acts too: a token alone
 * says nothing in its name. What its policy accepts, no token does.
 */
export function signsItsActs({ methods }: Pick<Agent, 'methods'>): boolean {
  return methods.includes('ed25519') && !methods.some(isByToken);
}

/** True for ever after the first key, even when every key was revoked. */
export function hasEverHadKeys(agent: Agent): boolean {
  return agent.keys.size > 0;
}

/** One key as an offline verifier needs it. */
export interface VerificationKey {
  readonly keyId: KeyId;
  readonly jwk: Ed25519Jwk;
  /** Inclusive. */
  readonly from: Timestamp;
  /** Exclusive; null while the window is open. */
  readonly until: Timestamp | null;
  /** The moment of the revocation, null without one. */
  readonly revoked: Timestamp | null;
}

/** Every key that the agent ever had, in the order of registration. */
export function keysForVerification(agent: Agent): readonly VerificationKey[] {
  return Array.from(agent.keys.values(), ({ keyId, jwk, from, until, revokedAt }) => ({
    keyId,
    jwk,
    from,
    until,
    revoked: revokedAt,
  }));
}
