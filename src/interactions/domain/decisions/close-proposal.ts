import { err, ok } from '../../../kernel/result.js';
import {
  makeStatement,
  reasonHash,
  type RejectionStatement,
  type WithdrawalStatement,
} from '../../../kernel/statements.js';
import { admit, type AdmittedParty } from '../admission.js';
import type { CommandOf } from '../commands.js';
import type { InteractionContext } from '../context.js';
import type { Interaction, Revision } from '../interaction.js';
import { openProposal } from '../revisions.js';
import { verifyAct } from '../verify-signatures.js';
import type { Decision } from './decision.js';

/**
 * A party other than the proposer refuses the open proposal: a pending interaction is rejected, an
 * active one stays on the terms in force. Who accepted may still reject, until every party has.
 *
 * Refuses with the codes of {@link admit}, `no-open-proposal`, `proposer-cannot-reject` and the codes
 * of {@link verifyAct}.
 */
export function reject(
  state: Interaction | undefined,
  command: CommandOf<'reject'>,
  context: InteractionContext,
): Decision {
  const admission = admit(state, command, context);
  if (!admission.ok) return admission;
  const proposal = openProposal(admission.value.interaction);
  if (proposal === undefined) return err({ code: 'no-open-proposal' });
  if (proposal.proposedByAgentId === command.agentId) {
    return err({ code: 'proposer-cannot-reject' });
  }
  return close(admission.value, proposal, command, context);
}

/**
 * The proposer takes the open proposal back: a pending interaction is cancelled, an active one stays
 * on the terms in force.
 *
 * Refuses with the codes of {@link admit}, `no-open-proposal`, `only-proposer-withdraws` and the
 * codes of {@link verifyAct}.
 */
export function withdraw(
  state: Interaction | undefined,
  command: CommandOf<'withdraw'>,
  context: InteractionContext,
): Decision {
  const admission = admit(state, command, context);
  if (!admission.ok) return admission;
  const proposal = openProposal(admission.value.interaction);
  if (proposal === undefined) return err({ code: 'no-open-proposal' });
  if (proposal.proposedByAgentId !== command.agentId) {
    return err({ code: 'only-proposer-withdraws' });
  }
  return close(admission.value, proposal, command, context);
}

function close(
  { interaction, agent }: AdmittedParty,
  proposal: Revision,
  command: CommandOf<'reject'> | CommandOf<'withdraw'>,
  context: InteractionContext,
): Decision {
  const isRejection = command.kind === 'reject';
  const { interactionId, audience } = interaction;
  const { revision, termsHash } = proposal;
  const hash = reasonHash(command.reason);
  const signed = verifyAct(
    agent,
    command.proof,
    (signedAt) =>
      makeStatement<RejectionStatement | WithdrawalStatement>(
        isRejection ? 'federated-interaction/rejection' : 'federated-interaction/withdrawal',
        {
          audience,
          agentId: agent.agentId,
          interactionId,
          revision,
          termsHash,
          reasonHash: hash,
          signedAt,
        },
      ),
    context,
  );
  if (!signed.ok) return signed;
  return ok([
    {
      type: isRejection ? 'revision-rejected' : 'revision-withdrawn',
      data: {
        interactionId,
        agentId: agent.agentId,
        ...signed.value,
        revision,
        termsHash,
        reasonHash: hash,
      },
      texts: { reason: command.reason ?? null },
    },
  ]);
}
