import type { ContractRevision, FederatedInteraction } from '../../kernel/federated-interaction.js';
import { failure, type Flaw } from './check-result.js';

/** Numbered 1, 2, 3 and so on, in order, at least one. */
export function revisionNumbersFlaw({ contractRevisions }: FederatedInteraction): Flaw | undefined {
  if (contractRevisions.length === 0) return failure('no-revisions');
  const misplaced = contractRevisions.find(({ revision }, index) => revision !== index + 1);
  return misplaced === undefined
    ? undefined
    : failure('revision-numbers-not-contiguous', `revision ${misplaced.revision}`);
}

/**
 * A revision names the hash of the one before it, revision 1 none, and changes the terms: they are
 * neither the preceding ones again nor those in force.
 */
export function revisionLinkFlaw(
  revision: ContractRevision,
  earlier: readonly ContractRevision[],
): Flaw | undefined {
  const previous = earlier.at(-1);
  if (revision.previousTermsHash !== previous?.termsHash) return failure('link-broken');
  const inForce = earlier.findLast(({ status }) => status === 'accepted');
  return revision.termsHash === previous?.termsHash || revision.termsHash === inForce?.termsHash
    ? failure('terms-unchanged')
    : undefined;
}

/** What the top level shows: the last terms in force, else the newest proposal. */
export function shownRevision({
  contractRevisions,
}: FederatedInteraction): ContractRevision | undefined {
  return (
    contractRevisions.findLast(({ status }) => status === 'accepted') ?? contractRevisions.at(-1)
  );
}
