import { hashJson } from '../../../kernel/digest.js';
import type { Contract } from '../../../kernel/federated-interaction.js';

const LISTS = ['successCriteria', 'completionConditions', 'evidenceRequirements'] as const;

type List = (typeof LISTS)[number];

/** `{"item":…,"verdict":"unknown","references":[]}` */
const BYTES_AROUND_AN_ENTRY = 45;
/** Of a request, which holds more than the report. */
const MOST_BYTES = 256 * 1024 - 2_048;

export type Report = Readonly<Record<List, readonly { readonly item: string }[]>>;

/** Of everything that a report on a contract answers, in whatever order. */
export function itemsHash(contract: Pick<Contract, List>): string {
  return hashJson(LISTS.map((list) => contract[list].toSorted()));
}

/**
 * Whether a report can answer these terms: it repeats the text of every entry, beside any verdict and at least
 * without references, and one request must hold it. Its bytes are too many long before its values are.
 */
export function isAnswerable(contract: Pick<Contract, List>): boolean {
  const lists = LISTS.map((list) => contract[list]);
  const entries = lists.reduce((sum, { length }) => sum + length, 0);
  const texts = lists.reduce((sum, list) => sum + Buffer.byteLength(JSON.stringify(list)), 0);
  return texts + entries * BYTES_AROUND_AN_ENTRY <= MOST_BYTES;
}

/** Every entry of the contract is answered exactly once, in whatever order. */
export function answers(report: Report, items: string): boolean {
  return hashJson(LISTS.map((list) => report[list].map(({ item }) => item).sort())) === items;
}
