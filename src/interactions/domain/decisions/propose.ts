import { actingAs } from '../../../agents/domain/acting.js';
import { err, ok } from '../../../kernel/result.js';
import type { CommandOf } from '../commands.js';
import { consent, consentToProposal } from '../consent.js';
import type { InteractionContext } from '../context.js';
import {
  contractBelongs,
  deadlineAhead,
  expiryFits,
  hashAgrees,
  partiesFit,
  partiesRegistered,
} from '../contract-rules.js';
import type { Interaction } from '../interaction.js';
import { reportFits } from '../report-rules.js';
import type { Decision } from './decision.js';

/**
 * Revision 1, with the initiator's own acceptance.
 *
 * Refuses with `not-acting-agent` (an unknown agent too), `agent-retired`, `interaction-exists`
 * (whoever owns it), the codes of the contract rules, of {@link reportFits} and those of {@link consent}.
 */
export function propose(
  state: Interaction | undefined,
  command: CommandOf<'propose'>,
  context: InteractionContext,
): Decision {
  const { interactionId, agentId, responderAgentId, contract, expiresAt } = command;
  const initiator = context.agents.get(agentId);
  const acting =
    context.caller === undefined || initiator === undefined
      ? undefined
      : actingAs(context.caller, initiator);
  if (initiator === undefined || acting === undefined) return err({ code: 'not-acting-agent' });
  if (initiator.retiredAt !== null) return err({ code: 'agent-retired' });
  if (state !== undefined) return err({ code: 'interaction-exists' });

  const to = consentToProposal(command, context.audience);
  const refusal =
    contractBelongs(contract, interactionId) ??
    partiesFit(contract.parties, agentId, responderAgentId) ??
    partiesRegistered(contract.parties, context.agents) ??
    reportFits(contract) ??
    expiryFits(expiresAt, context.now) ??
    deadlineAhead(contract, context.now) ??
    hashAgrees(command.termsHash, to.termsHash);
  if (refusal !== undefined) return err(refusal);

  const acceptance = consent(initiator, acting, command.proof, to, context);
  if (!acceptance.ok) return acceptance;

  const responder = context.agents.get(responderAgentId);
  if (responder === undefined) throw new Error('every party was found registered');
  return ok([
    {
      type: 'interaction-proposed',
      data: {
        interactionId,
        revisionId: context.newId(),
        revision: 1,
        termsHash: to.termsHash,
        proposedByAgentId: agentId,
        acceptance: acceptance.value,
        initiatorAgentId: agentId,
        responderAgentId,
        parties: contract.parties,
        audience: context.audience,
        initiatorTransport: initiator.transport,
        responderTransport: responder.transport,
        expiresAt,
      },
      texts: { contract },
    },
  ]);
}
