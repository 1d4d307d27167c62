import { ERASED } from '../../../kernel/event.js';
import { err, ok } from '../../../kernel/result.js';
import { makeStatement, reportHash, type CompletionStatement } from '../../../kernel/statements.js';
import { admit } from '../admission.js';
import type { CommandOf } from '../commands.js';
import type { InteractionContext } from '../context.js';
import type { InteractionEvent } from '../events.js';
import type { Interaction } from '../interaction.js';
import { reportAnswers } from '../report-rules.js';
import { revisionInForce } from '../revisions.js';
import { verifyAct } from '../verify-signatures.js';
import type { Decision } from './decision.js';

/**
 * One party's outcome report on the terms in force; the last one completes the interaction, and an
 * open proposal is rejected with that.
 *
 * Refuses with the codes of {@link admit}, `not-active`, `already-reported`, `report-incomplete` and
 * the codes of {@link verifyAct}.
 */
export function complete(
  state: Interaction | undefined,
  command: CommandOf<'complete'>,
  context: InteractionContext,
): Decision {
  const admission = admit(state, command, context);
  if (!admission.ok) return admission;
  const { interaction, agent } = admission.value;
  const inForce = revisionInForce(interaction);
  if (inForce === undefined) return err({ code: 'not-active' });
  const { agentId } = agent;
  if (interaction.reports.has(agentId)) return err({ code: 'already-reported' });
  const { contract, termsHash } = inForce;
  if (contract === ERASED) return err({ code: 'interaction-erased' });
  const refusal = reportAnswers(command.report, contract);
  if (refusal !== undefined) return err(refusal);

  const { interactionId, audience } = interaction;
  const hash = reportHash(command.report);
  const signed = verifyAct(
    agent,
    command.proof,
    (signedAt) =>
      makeStatement<CompletionStatement>('federated-interaction/completion', {
        audience,
        agentId,
        interactionId,
        termsHash,
        reportHash: hash,
        signedAt,
      }),
    context,
  );
  if (!signed.ok) return signed;

  const events: InteractionEvent[] = [
    {
      type: 'outcome-reported',
      data: { interactionId, agentId, ...signed.value, termsHash, reportHash: hash },
      texts: { report: command.report },
    },
  ];
  const isLast = interaction.parties.every(
    (party) => party === agentId || interaction.reports.has(party),
  );
  if (isLast) {
    events.push({ type: 'interaction-completed', data: { interactionId, termsHash }, texts: null });
  }
  return ok(events);
}
