import type { FederatedInteraction } from '../../kernel/federated-interaction.js';
import { parseInteractionId } from '../../kernel/ids.js';
import { failure, type Flaw } from './check-result.js';

/** Every part belongs to one interaction, whose id has its one spelling; revision ids are unique. */
export function identityFlaw(interaction: FederatedInteraction): Flaw | undefined {
  const { interactionId, contract, contractRevisions } = interaction;
  if (parseInteractionId(interactionId) === undefined) {
    return failure('id-invalid', interactionId);
  }
  if (contract.interactionId !== interactionId) {
    return failure('interaction-id-mismatch', '/contract');
  }
  const revisionIds = new Set<string>();
  for (const { revision, revisionId, interactionId: ofRevision, contract } of contractRevisions) {
    if (ofRevision !== interactionId || contract.interactionId !== interactionId) {
      return failure('interaction-id-mismatch', `revision ${revision}`);
    }
    if (parseInteractionId(revisionId) === undefined) {
      return failure('id-invalid', `revisionId of revision ${revision}`);
    }
    if (revisionIds.has(revisionId)) return failure('revision-id-repeated', revisionId);
    revisionIds.add(revisionId);
  }
  return undefined;
}
