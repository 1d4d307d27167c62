import { canonicalJson } from '../../kernel/canonical-json.js';
import type { FederatedInteraction } from '../../kernel/federated-interaction.js';
import { failure, type Flaw } from './check-result.js';
import { shownRevision } from './revisions.js';

/** `contract`, `termsHash`, `acceptances` and `contractRevision` repeat the revision that shows. */
export function topLevelFlaw(interaction: FederatedInteraction): Flaw | undefined {
  const shown = shownRevision(interaction);
  if (shown === undefined) return failure('no-revisions');
  const differing = [
    ...(interaction.contractRevision === shown.revision ? [] : ['contractRevision']),
    ...(interaction.termsHash === shown.termsHash ? [] : ['termsHash']),
    ...(sameJson(interaction.contract, shown.contract) ? [] : ['contract']),
    ...(sameJson(interaction.acceptances, shown.acceptances) ? [] : ['acceptances']),
  ];
  return differing.length === 0
    ? undefined
    : failure('top-level-differs', `${differing.join(', ')} of revision ${shown.revision}`);
}

function sameJson(a: object, b: object): boolean {
  return canonicalJson(a) === canonicalJson(b);
}
