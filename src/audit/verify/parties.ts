import type { FederatedInteraction } from '../../kernel/federated-interaction.js';
import { parseAgentId } from '../../kernel/ids.js';
import { failure, type Flaw } from './check-result.js';

/**
 * At least 2 different agents, initiator and responder among them and different, the same in every
 * revision in whatever order; each revision is proposed by one of them, the first by the initiator.
 */
export function partiesFlaw(interaction: FederatedInteraction): Flaw | undefined {
  const { initiatorAgentId, responderAgentId, contract, contractRevisions } = interaction;
  const parties = new Set<string>(contract.parties);
  const fit =
    parties.size === contract.parties.length &&
    parties.size >= 2 &&
    initiatorAgentId !== responderAgentId &&
    parties.has(initiatorAgentId) &&
    parties.has(responderAgentId);
  if (!fit) return failure('parties-invalid');
  for (const party of parties) {
    if (parseAgentId(party) === undefined) return failure('id-invalid', party);
  }
  for (const { revision, contract, proposedByAgentId } of contractRevisions) {
    const same =
      contract.parties.length === parties.size &&
      new Set(contract.parties).size === parties.size &&
      contract.parties.every((party) => parties.has(party));
    if (!same) return failure('parties-changed', `revision ${revision}`);
    if (!parties.has(proposedByAgentId)) {
      return failure('proposer-not-a-party', `revision ${revision}`);
    }
    if (revision === 1 && proposedByAgentId !== initiatorAgentId) {
      return failure('first-proposer-not-initiator');
    }
  }
  return undefined;
}
