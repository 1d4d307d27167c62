import { err, ok } from '../../../kernel/result.js';
import type { CommandOf } from '../commands.js';
import type { InteractionContext } from '../context.js';
import { effectiveAt } from '../expiry.js';
import { headOf } from '../head.js';
import type { Interaction } from '../interaction.js';
import { policyCovers } from '../policy.js';
import { isErased, isTerminal } from '../revisions.js';
import { acceptable, accepted } from './accepting.js';
import type { Decision } from './decision.js';

/**
 * An acceptance by the owner's stored policy. The process names the policy that was in force when
 * the proposal was recorded; here it must still be the agent's policy, its method permitted, and the
 * terms covered beyond doubt.
 *
 * Refuses with `interaction-not-found`, `interaction-ended`, `head-changed`, `interaction-erased`,
 * the codes of {@link acceptable}, `method-not-permitted` and `policy-does-not-apply`.
 */
export function autoAccept(
  state: Interaction | undefined,
  command: CommandOf<'auto-accept'>,
  context: InteractionContext,
): Decision {
  const agent = context.agents.get(command.agentId);
  if (state === undefined || agent === undefined || !state.parties.includes(agent.agentId)) {
    return err({ code: 'interaction-not-found' });
  }
  const interaction = effectiveAt(state, context.now);
  const head = headOf(interaction);
  if (isTerminal(interaction.status)) return err({ code: 'interaction-ended', head });
  if (command.revision !== head.revision || command.termsHash !== head.termsHash) {
    return err({ code: 'head-changed', head });
  }
  if (isErased(interaction)) return err({ code: 'interaction-erased' });
  const proposal = acceptable(interaction, agent, context);
  if (!proposal.ok) return proposal;

  const method = 'policy_auto_accept';
  if (!agent.methods.includes(method)) return err({ code: 'method-not-permitted' });
  const { policy } = agent;
  if (
    policy === null ||
    policy.revision !== command.policyRevision ||
    !policyCovers(policy.rules, proposal.value.contract)
  ) {
    return err({ code: 'policy-does-not-apply' });
  }
  const acceptance = {
    agentId: agent.agentId,
    method,
    termsHash: proposal.value.termsHash,
    acceptedAt: context.now,
  } as const;
  return ok(accepted(interaction, proposal.value, acceptance, policy.revision, context));
}
