import { ERASED } from '../../../kernel/event.js';
import type { Head } from '../../../kernel/rejection.js';
import { err, ok } from '../../../kernel/result.js';
import { partyNamed, standing } from '../admission.js';
import type { CommandOf } from '../commands.js';
import type { InteractionContext } from '../context.js';
import type { Interaction } from '../interaction.js';
import { policyCovers } from '../policy-covers.js';
import { acceptable, accepted, type Acceptable } from './accepting.js';
import type { Decision } from './decision.js';

/**
 * An acceptance by the owner's stored policy. The process names the policy that was in force when
 * the proposal was recorded; here it must still be the agent's policy, its method permitted, and the
 * terms covered beyond doubt. Terms that would have the texts erased earlier than an earlier revision
 * are for a person: else another party could, by such a proposal, make evidence go alone.
 *
 * Refuses with `interaction-not-found`, the codes of {@link standing} and of {@link acceptable},
 * `method-not-permitted` and `policy-does-not-apply`.
 */
export function autoAccept(
  state: Interaction | undefined,
  command: CommandOf<'auto-accept'>,
  context: InteractionContext,
): Decision {
  const agent = partyNamed(state, command.agentId, context);
  if (state === undefined || agent === undefined) return err({ code: 'interaction-not-found' });
  const { revision, termsHash } = command;
  const isMeant = (head: Head) => head.revision === revision && head.termsHash === termsHash;
  const interaction = standing(state, isMeant, context);
  if (!interaction.ok) return interaction;
  const proposal = acceptable(interaction.value, agent, context);
  if (!proposal.ok) return proposal;

  const method = 'policy_auto_accept';
  if (!agent.methods.includes(method)) return err({ code: 'method-not-permitted' });
  const { policy } = agent;
  if (
    policy === null ||
    policy.revision !== command.policyRevision ||
    !policyCovers(policy.rules, proposal.value.contract) ||
    shortensRetention(interaction.value, proposal.value)
  ) {
    return err({ code: 'policy-does-not-apply' });
  }
  const acceptance = {
    agentId: agent.agentId,
    method,
    termsHash: proposal.value.termsHash,
    acceptedAt: context.now,
  } as const;
  return ok(accepted(interaction.value, proposal.value, acceptance, policy.revision, context));
}

function shortensRetention({ revisions }: Interaction, proposal: Acceptable): boolean {
  return revisions.some(
    ({ contract }) =>
      contract !== ERASED && contract.retentionDays > proposal.contract.retentionDays,
  );
}
