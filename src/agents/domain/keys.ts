import type { Ed25519Jwk } from '../../kernel/ed25519.js';
import type { KeyId } from '../../kernel/ids.js';
import { isBefore, type Timestamp } from '../../kernel/timestamp.js';
import type { Agent, AgentKey } from './agent.js';

/**
 * The key, if it may sign at this moment (from inclusive, until exclusive). The moment is the
 * server's: a signer's own date would let a retired key sign back into its window.
 */
export function keyValidAt(
  agent: Agent,
  keyId: KeyId,
  moment: Timestamp,
): AgentKey | 'key-not-found' | 'key-not-valid' {
  const key = agent.keys.get(keyId);
  if (key === undefined) return 'key-not-found';
  const begun = !isBefore(moment, key.from);
  const open = key.until === null || isBefore(moment, key.until);
  return begun && open ? key : 'key-not-valid';
}

/** The agent accepts by its own signature alone, and then signs its other acts too. */
export function signsItsActs(agent: Agent): boolean {
  return agent.methods.length === 1 && agent.methods[0] === 'ed25519';
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
