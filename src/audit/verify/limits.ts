import type { FederatedInteraction } from '../../kernel/federated-interaction.js';
import { failure, type Flaw } from './check-result.js';

const MAX_REVISIONS = 200;
/** Of one interaction. */
export const MAX_PARTIES = 16;

/**
 * At most 200 revisions, and 16 parties and acceptances in each. Nothing larger was ever made by the
 * service, and a forged document must not keep the verifier busy for hours.
 */
export function limitsFlaw(interaction: FederatedInteraction): Flaw | undefined {
  const { contractRevisions } = interaction;
  if (contractRevisions.length > MAX_REVISIONS) {
    return failure('too-many', `${contractRevisions.length} revisions`);
  }
  for (const { contract, acceptances } of [interaction, ...contractRevisions]) {
    if (contract.parties.length > MAX_PARTIES) {
      return failure('too-many', `${contract.parties.length} parties`);
    }
    const accepting = Object.keys(acceptances).length;
    if (accepting > MAX_PARTIES) return failure('too-many', `${accepting} acceptances`);
  }
  return undefined;
}
