import { err, ok } from '../../../kernel/result.js';
import { termsHash } from '../../../kernel/terms.js';
import { admit } from '../admission.js';
import type { CommandOf } from '../commands.js';
import { consent } from '../consent.js';
import type { InteractionContext } from '../context.js';
import {
  contractBelongs,
  deadlineAhead,
  hashAgrees,
  partiesRegistered,
  partiesSame,
  revisionsFit,
} from '../contract-rules.js';
import type { Interaction } from '../interaction.js';
import { reportFits } from '../report-rules.js';
import { newestRevision, revisionInForce } from '../revisions.js';
import type { Decision } from './decision.js';

/**
 * A counter-proposal while pending, an amendment while active: revision n+1, linked to the hash of
 * revision n, with its proposer's acceptance alone. Acceptances of earlier terms never carry over.
 *
 * Refuses with the codes of {@link admit}, `agent-retired`, `too-many-revisions`, the codes of the
 * contract rules and of {@link reportFits}, `terms-unchanged` and the codes of {@link consent}.
 */
export function revise(
  state: Interaction | undefined,
  command: CommandOf<'revise'>,
  context: InteractionContext,
): Decision {
  const admission = admit(state, command, context);
  if (!admission.ok) return admission;
  const { interaction, agent, acting } = admission.value;
  if (agent.retiredAt !== null) return err({ code: 'agent-retired' });

  const { contract } = command;
  const { interactionId } = interaction;
  const previous = newestRevision(interaction);
  const full = revisionsFit(interaction.revisions, contract);
  if (full !== undefined) return err(full);
  const hash = termsHash(contract);
  const refusal =
    contractBelongs(contract, interactionId) ??
    partiesSame(contract.parties, interaction.parties) ??
    partiesRegistered(interaction.parties, context.agents) ??
    reportFits(contract) ??
    deadlineAhead(contract, context.now) ??
    hashAgrees(command.termsHash, hash);
  if (refusal !== undefined) return err(refusal);
  // Terms in force, proposed again, would void the reports on them and change nothing else.
  if (hash === previous.termsHash || hash === revisionInForce(interaction)?.termsHash) {
    return err({ code: 'terms-unchanged' });
  }

  const revision = previous.revision + 1;
  const acceptance = consent(
    agent,
    acting,
    command.proof,
    {
      audience: interaction.audience,
      interactionId,
      revision,
      previousTermsHash: previous.termsHash,
      termsHash: hash,
      expiresAt: interaction.expiresAt,
    },
    context,
  );
  if (!acceptance.ok) return acceptance;
  return ok([
    {
      type: 'revision-proposed',
      data: {
        interactionId,
        revisionId: context.newId(),
        revision,
        previousTermsHash: previous.termsHash,
        termsHash: hash,
        proposedByAgentId: agent.agentId,
        acceptance: acceptance.value,
      },
      texts: { contract },
    },
  ]);
}
