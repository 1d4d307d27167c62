import type { Agent } from '../../../agents/domain/agent.js';
import { ERASED } from '../../../kernel/event.js';
import type { Acceptance, Contract } from '../../../kernel/federated-interaction.js';
import type { Rejection } from '../../../kernel/rejection.js';
import { err, ok, type Result } from '../../../kernel/result.js';
import type { InteractionContext } from '../context.js';
import { deadlineOpen, partiesRegistered } from '../contract-rules.js';
import { revisionDocument } from '../document.js';
import type { InteractionEvent } from '../events.js';
import type { Interaction, Revision } from '../interaction.js';
import { openProposal } from '../revisions.js';

/** A proposal that may still be accepted; its terms can be read. */
export interface Acceptable extends Revision {
  readonly contract: Contract;
}

/**
 * The open proposal, if this agent may accept it now, by whatever method.
 *
 * Refuses with `agent-retired`, `no-open-proposal`, `already-accepted`, `deadline-passed`,
 * `party-not-registered` (another party has retired since) and `interaction-erased`.
 */
export function acceptable(
  interaction: Interaction,
  agent: Agent,
  { agents, now }: InteractionContext,
): Result<Acceptable, Rejection> {
  if (agent.retiredAt !== null) return err({ code: 'agent-retired' });
  const proposal = openProposal(interaction);
  if (proposal === undefined) return err({ code: 'no-open-proposal' });
  if (proposal.acceptances.has(agent.agentId)) return err({ code: 'already-accepted' });
  const { contract } = proposal;
  if (contract === ERASED) return err({ code: 'interaction-erased' });
  const refusal = deadlineOpen(contract, now) ?? partiesRegistered(interaction.parties, agents);
  return refusal === undefined ? ok({ ...proposal, contract }) : err(refusal);
}

/**
 * The events of an acceptance. When it is the last one of the parties, the same decision attests the
 * revision as it will stand from now on: accepted, with every acceptance, dated now.
 */
export function accepted(
  interaction: Interaction,
  proposal: Acceptable,
  acceptance: Acceptance,
  policyRevision: number | null,
  { now, attest }: InteractionContext,
): readonly InteractionEvent[] {
  const { interactionId } = interaction;
  const { revision, termsHash } = proposal;
  const consented: InteractionEvent = {
    type: 'revision-accepted',
    data: { interactionId, revision, acceptance, policyRevision },
    texts: null,
  };
  const acceptances = new Map(proposal.acceptances).set(acceptance.agentId, acceptance);
  if (!interaction.parties.every((party) => acceptances.has(party))) return [consented];

  const document = revisionDocument(interaction, {
    ...proposal,
    status: 'accepted',
    acceptances,
    updatedAt: now,
  });
  if (document === ERASED) throw new Error('the terms of this proposal can be read');
  const attested: InteractionEvent = {
    type: 'revision-attested',
    data: { interactionId, revision, termsHash, attestation: attest(document) },
    texts: null,
  };
  return [consented, attested];
}
