import { hashJson } from '../../../kernel/digest.js';
import type { Contract } from '../../../kernel/federated-interaction.js';

const LISTS = ['successCriteria', 'completionConditions', 'evidenceRequirements'] as const;

type List = (typeof LISTS)[number];

export type Report = Readonly<Record<List, readonly { readonly item: string }[]>>;

/** Of everything that a report on a contract answers, in whatever order. */
export function itemsHash(contract: Pick<Contract, List>): string {
  return hashJson(LISTS.map((list) => contract[list].toSorted()));
}

/** Every entry of the contract is answered exactly once, in whatever order. */
export function answers(report: Report, items: string): boolean {
  return hashJson(LISTS.map((list) => report[list].map(({ item }) => item).sort())) === items;
}
