import type { Agent } from '../../agents/domain/agent.js';
import { hasEverHadKeys, keyValidAt, signsItsActs } from '../../agents/domain/keys.js';
import { isWithinLeeway } from '../../agents/domain/signed-moment.js';
import type { Caller } from '../../kernel/caller.js';
import type { Signature } from '../../kernel/federated-interaction.js';
import type { Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { verifyStatement, type Statement } from '../../kernel/statements.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { Proof } from './commands.js';
import type { InteractionContext } from './context.js';

/**
 * Verifies a proof over the statement that the command amounts to. The key must be valid now, by
 * the server's clock: whatever moment was signed, a retired key cannot sign back into its window.
 *
 * Refuses with `signature-unexpected`, `key-not-found`, `key-not-valid`, `signed-time-out-of-range`
 * and `signature-invalid`.
 */
export function verifyProof(
  agent: Agent,
  proof: Proof,
  statement: Statement,
  { now, leewayMs }: InteractionContext,
): Result<Signature, Rejection> {
  if (!hasEverHadKeys(agent)) return err({ code: 'signature-unexpected' });
  const key = keyValidAt(agent, proof.keyId, now);
  if (typeof key === 'string') return err({ code: key });
  if (!isWithinLeeway(proof.at, now, leewayMs)) return err({ code: 'signed-time-out-of-range' });
  if (!verifyStatement(key.jwk, statement, proof.value)) return err({ code: 'signature-invalid' });
  return ok({ algorithm: 'Ed25519', keyId: proof.keyId, value: proof.value });
}

/** An act's signature and the moment that it names; both null when the agent does not sign. */
export type Signed =
  | { readonly signedAt: Timestamp; readonly signature: Signature }
  | { readonly signedAt: null; readonly signature: null };

/**
 * Verifies the signature of a rejection, withdrawal, cancellation or completion. Agents that accept
 * only by signature sign these too; for others a signature is optional, and verified when present.
 *
 * Once the agent is retired, its owner with `agents:admin` may do without one: the keys may be gone
 * for ever, and these four acts only wind things down. It is the same authority that may change an
 * agent's keys; a lesser token may not, since a stolen one must change nothing.
 *
 * Refuses with `signature-required` and the codes of {@link verifyProof}.
 */
export function verifyAct(
  agent: Agent,
  proof: Proof | undefined,
  statementAt: (signedAt: Timestamp) => Statement,
  context: InteractionContext,
): Result<Signed, Rejection> {
  if (proof === undefined) {
    if (signsItsActs(agent) && !mayWindDown(agent, context.caller)) {
      return err({ code: 'signature-required' });
    }
    return ok({ signedAt: null, signature: null });
  }
  const signature = verifyProof(agent, proof, statementAt(proof.at), context);
  return signature.ok ? ok({ signedAt: proof.at, signature: signature.value }) : signature;
}

function mayWindDown(agent: Agent, caller: Caller | undefined): boolean {
  const isOwner = caller?.principal === agent.owner;
  return agent.retiredAt !== null && isOwner && caller.scopes.has('agents:admin');
}
