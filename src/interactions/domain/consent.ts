import type { Acting, Bond } from '../../agents/domain/acting.js';
import type { Agent } from '../../agents/domain/agent.js';
import { signsItsActs } from '../../agents/domain/keys.js';
import type { Acceptance, AcceptanceMethod } from '../../kernel/federated-interaction.js';
import type { AgentId, InteractionId, TermsHash } from '../../kernel/ids.js';
import { oncePerObject } from '../../kernel/once-per-object.js';
import type { Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { makeStatement, type AcceptanceStatement } from '../../kernel/statements.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import { termsHash } from '../../kernel/terms.js';
import type { CommandOf, Proof } from './commands.js';
import type { InteractionContext } from './context.js';
import type { Interaction, Revision } from './interaction.js';
import { verifyProof } from './verify-signatures.js';

/** Everything that an acceptance binds besides who accepts, how and when. */
export interface ConsentTo {
  readonly audience: string;
  readonly interactionId: InteractionId;
  readonly revision: number;
  readonly previousTermsHash: TermsHash | null;
  readonly termsHash: TermsHash;
  readonly expiresAt: Timestamp;
}

/**
 * Makes an agent's acceptance. The method follows from proof and token, never from the body: a proof
 * makes it `ed25519`, else a token of one of the agent's clients `oauth_installation`, and the owner's
 * `oauth_account`. The agent must permit that method; of an owner's token that comes through a client it
 * is the first that the agent permits. Without a proof the server's clock says when.
 *
 * Refuses with `signature-required`, `method-not-permitted` and the codes of {@link verifyProof}.
 */
export function consent(
  agent: Agent,
  acting: Acting,
  proof: Proof | undefined,
  to: ConsentTo,
  context: InteractionContext,
): Result<Acceptance, Rejection> {
  if (proof === undefined) return consentByToken(agent, acting, to, context);
  const statement = acceptanceStatement(agent.agentId, proof.at, to);
  const signature = verifyProof(agent, proof, statement, context);
  if (!signature.ok) return signature;
  // Authentic first, permitted second: an agent may have keys and accept by other methods only.
  if (!agent.methods.includes('ed25519')) return err({ code: 'method-not-permitted' });
  return ok({
    agentId: agent.agentId,
    method: 'ed25519',
    termsHash: to.termsHash,
    acceptedAt: proof.at,
    signature: signature.value,
  });
}

/** What an agent signs when it accepts. */
export function acceptanceStatement(
  agentId: AgentId,
  acceptedAt: Timestamp,
  to: ConsentTo,
): AcceptanceStatement {
  const { audience, interactionId, revision, previousTermsHash, termsHash, expiresAt } = to;
  return makeStatement<AcceptanceStatement>('federated-interaction/acceptance', {
    audience,
    interactionId,
    revision,
    previousTermsHash,
    termsHash,
    expiresAt,
    agentId,
    method: 'ed25519',
    acceptedAt,
  });
}

/** Consent to a revision that stands. */
export function consentToRevision(
  { audience, interactionId, expiresAt }: Interaction,
  { revision, previousTermsHash, termsHash }: Revision,
): ConsentTo {
  return { audience, interactionId, revision, previousTermsHash, termsHash, expiresAt };
}

/** Asked before a decision and in it, and anew after a lost race. */
const hashOfTerms = oncePerObject(termsHash);

/** Consent to the first terms of an interaction that is being proposed. */
export function consentToProposal(
  { interactionId, expiresAt, contract }: CommandOf<'propose'>,
  audience: string,
): ConsentTo {
  const hash = hashOfTerms(contract);
  return {
    audience,
    interactionId,
    revision: 1,
    previousTermsHash: null,
    termsHash: hash,
    expiresAt,
  };
}

const METHOD_OF: Readonly<Record<Bond, AcceptanceMethod | undefined>> = {
  client: 'oauth_installation',
  owner: 'oauth_account',
  // The token says for whom it speaks, but not that anybody installed or owns the agent.
  agent: undefined,
};

function consentByToken(
  agent: Agent,
  acting: Acting,
  { termsHash }: ConsentTo,
  { now }: InteractionContext,
): Result<Acceptance, Rejection> {
  if (signsItsActs(agent)) return err({ code: 'signature-required' });
  const method = acting
    .map((bond) => METHOD_OF[bond])
    .find((each) => each !== undefined && agent.methods.includes(each));
  if (method === undefined) return err({ code: 'method-not-permitted' });
  return ok({ agentId: agent.agentId, method, termsHash, acceptedAt: now });
}
