import type { Agent } from '../../agents/domain/agent.js';
import { hasEverHadKeys, signsItsActs } from '../../agents/domain/keys.js';
import { refusalByKey } from '../../agents/domain/verify-by-key.js';
import type { Caller } from '../../kernel/caller.js';
import type { Signature } from '../../kernel/federated-interaction.js';
import type { Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import type { Statement } from '../../kernel/statements.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { Proof } from './commands.js';
import type { InteractionContext } from './context.js';

/**
 * Verifies a proof over the statement that the command amounts to. An agent that never had keys has
 * nothing to sign with.
 *
 * Refuses with `signature-unexpected` and the codes of {@link refusalByKey}.
 */
export function verifyProof(
  agent: Agent,
  proof: Proof,
  statement: Statement,
  context: InteractionContext,
): Result<Signature, Rejection> {
  if (!hasEverHadKeys(agent)) return err({ code: 'signature-unexpected' });
  const { keyId, at, value } = proof;
  const refusal = refusalByKey(agent, { keyId, signedAt: at, value }, statement, context);
  return refusal === undefined ? ok({ algorithm: 'Ed25519', keyId, value }) : err(refusal);
}

/** An act's signature and the moment that it names; both null when the agent does not sign. */
export type Signed =
  | { readonly signedAt: Timestamp; readonly signature: Signature }
  | { readonly signedAt: null; readonly signature: null };

/**
 * Verifies the signature of a rejection, withdrawal, cancellation or completion. Agents that accept
 * by signature and by no token sign these too; for others a signature is optional, and verified when present.
 *
 * Once the agent is retired, its owner with `agents:admin` may do without one: the keys may be gone
 * for ever, and these four acts only wind things down. It is the same authority that may change an
 * agent's keys; a lesser token may not, since a stolen one must change nothing. A consent to erasure is
 * no such act, and never comes here without a signature.
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
