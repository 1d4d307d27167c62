import { ok } from '../../../kernel/result.js';
import { admit } from '../admission.js';
import type { CommandOf } from '../commands.js';
import { consent, consentToRevision } from '../consent.js';
import type { InteractionContext } from '../context.js';
import type { Interaction } from '../interaction.js';
import { acceptable, accepted } from './accepting.js';
import type { Decision } from './decision.js';

/**
 * One party's consent to the open proposal that the head names; the last one puts it in force.
 *
 * Refuses with the codes of {@link admit}, of {@link acceptable} and of {@link consent}.
 */
export function accept(
  state: Interaction | undefined,
  command: CommandOf<'accept'>,
  context: InteractionContext,
): Decision {
  const admission = admit(state, command, context);
  if (!admission.ok) return admission;
  const { interaction, agent, acting } = admission.value;
  const proposal = acceptable(interaction, agent, context);
  if (!proposal.ok) return proposal;

  const to = consentToRevision(interaction, proposal.value);
  const acceptance = consent(agent, acting, command.proof, to, context);
  if (!acceptance.ok) return acceptance;
  return ok(accepted(interaction, proposal.value, acceptance.value, null, context));
}
