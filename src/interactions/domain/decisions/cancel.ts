import { ok } from '../../../kernel/result.js';
import {
  makeStatement,
  reasonHash,
  type CancellationStatement,
} from '../../../kernel/statements.js';
import { admit } from '../admission.js';
import type { CommandOf } from '../commands.js';
import type { InteractionContext } from '../context.js';
import type { Interaction } from '../interaction.js';
import { standingTermsHash } from '../revisions.js';
import { verifyAct } from '../verify-signatures.js';
import type { Decision } from './decision.js';

/**
 * Any party ends a pending or active interaction; an open proposal is rejected with it.
 *
 * Refuses with the codes of {@link admit} and of {@link verifyAct}.
 */
export function cancel(
  state: Interaction | undefined,
  command: CommandOf<'cancel'>,
  context: InteractionContext,
): Decision {
  const admission = admit(state, command, context);
  if (!admission.ok) return admission;
  const { interaction, agent } = admission.value;
  const { agentId } = agent;
  const { interactionId, audience } = interaction;
  const termsHash = standingTermsHash(interaction);
  const hash = reasonHash(command.reason);
  const signed = verifyAct(
    agent,
    command.proof,
    (signedAt) =>
      makeStatement<CancellationStatement>('federated-interaction/cancellation', {
        audience,
        agentId,
        interactionId,
        termsHash,
        reasonHash: hash,
        signedAt,
      }),
    context,
  );
  if (!signed.ok) return signed;
  return ok([
    {
      type: 'interaction-cancelled',
      data: { interactionId, agentId, ...signed.value, termsHash, reasonHash: hash },
      texts: { reason: command.reason ?? null },
    },
  ]);
}
