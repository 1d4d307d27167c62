import type { Contract } from '../../kernel/federated-interaction.js';
import type { Rejection } from '../../kernel/rejection.js';
import { SIGNED_DOCUMENT_LIMITS } from '../../kernel/strict-json.js';
import type { OutcomeReport } from './outcome-report.js';

/** Of an answer without references, whatever the verdict: what stands around the text of its entry. */
const BYTES_OF_AN_ANSWER = '{"item":,"verdict":"unknown","references":[]}'.length;
/** The answer, its members, and the nothing in its empty array: see `StrictJsonLimits`. */
const VALUES_OF_AN_ANSWER = 5;
/** More than the rest of a request for completion ever takes: agent, head, signature, names of members. */
const AROUND_A_REPORT = { bytes: 2_048, values: 64 };

const utf8 = new TextEncoder();

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

/**
 * `contract-invalid`: whoever agrees to terms must be able to report on them. A report repeats every
 * entry, so that terms which one request carries may ask for more than another one can.
 */
export function reportFits(contract: Contract): Rejection | undefined {
  const answers = LISTS.reduce((sum, list) => sum + contract[list].length, 0);
  const bytes = LISTS.reduce(
    (sum, list) => sum + utf8.encode(JSON.stringify(contract[list])).length,
    0,
  );
  const { maxBytes, maxValues } = SIGNED_DOCUMENT_LIMITS;
  if (
    bytes + answers * BYTES_OF_AN_ANSWER + AROUND_A_REPORT.bytes <= maxBytes &&
    answers * VALUES_OF_AN_ANSWER + AROUND_A_REPORT.values <= maxValues
  ) {
    return undefined;
  }
  const detail =
    'The entries are too many or too long for a report that answers them all: a request has at most 256 KiB and 50,000 values.';
  return {
    code: 'contract-invalid',
    faults: LISTS.filter((list) => contract[list].length > 0).map((list) => ({
      pointer: `/contract/${list}`,
      detail,
    })),
  };
}

function items(report: OutcomeReport, list: (typeof LISTS)[number]): readonly string[] {
  return report[list].map((answer) => answer.item);
}

function sameEntries(a: readonly string[], b: readonly string[]): boolean {
  const sorted = b.toSorted();
  return a.length === b.length && a.toSorted().every((entry, index) => entry === sorted[index]);
}
