import type { Contract } from '../../kernel/federated-interaction.js';
import type { Rejection } from '../../kernel/rejection.js';
import type { OutcomeReport } from './outcome-report.js';

const LISTS = ['successCriteria', 'completionConditions', 'evidenceRequirements'] as const;

/**
 * `report-incomplete`: every entry of the contract is answered exactly once, in any order, and
 * nothing else is. An entry that the contract repeats is answered as often.
 */
export function reportAnswers(report: OutcomeReport, contract: Contract): Rejection | undefined {
  const faults = LISTS.filter((list) => !sameEntries(items(report, list), contract[list])).map(
    (list) => ({
      pointer: `/report/${list}`,
      detail: `Answer each of the contract's ${String(contract[list].length)} entries once, by its exact text.`,
    }),
  );
  return faults.length === 0 ? undefined : { code: 'report-incomplete', faults };
}

function items(report: OutcomeReport, list: (typeof LISTS)[number]): readonly string[] {
  return report[list].map((answer) => answer.item);
}

function sameEntries(a: readonly string[], b: readonly string[]): boolean {
  const sorted = b.toSorted();
  return a.length === b.length && a.toSorted().every((entry, index) => entry === sorted[index]);
}
