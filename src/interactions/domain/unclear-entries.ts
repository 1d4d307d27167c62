import type { Contract } from '../../kernel/federated-interaction.js';

/** The lists of a contract whose entries apply to every call when they are no known identifiers. */
const ENFORCED_LISTS = [
  'prohibitedActions',
  'prohibitedData',
  'humanApprovalRequirements',
] as const satisfies readonly (keyof Contract)[];

export interface UnclearEntry {
  readonly list: (typeof ENFORCED_LISTS)[number];
  readonly index: number;
}

/** The entries that are no known identifiers, in the order of the lists. */
export function* unclearEntries(
  contract: Pick<Contract, (typeof ENFORCED_LISTS)[number]>,
  isKnown: (entry: string) => boolean,
): Generator<UnclearEntry> {
  for (const list of ENFORCED_LISTS) {
    for (const [index, entry] of contract[list].entries()) {
      if (!isKnown(entry)) yield { list, index };
    }
  }
}
