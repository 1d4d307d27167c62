import type { CheckResult, Verdict } from '../audit/verify/check-result.js';
import { isErased } from '../audit/verify/erased-texts.js';
import { REASONS } from '../audit/verify/reasons.js';
import { printable } from './printable.js';

/** How verdicts are told to a person. */
export const VERDICT_WORDS: Readonly<Record<Verdict, string>> = {
  verified: 'verified',
  failed: 'failed',
  'not-checkable': 'not checkable',
};

/** In place of `not checkable` where that is so because the log tells that the texts are erased. */
const ERASED_WORD = 'erased';

/** Of a command that verifies: 2 stays for inputs that cannot be read. */
export const VERDICT_EXIT_CODES: Readonly<Record<Verdict, number>> = {
  verified: 0,
  failed: 1,
  'not-checkable': 3,
};

/** Behind a verdict that is `not checkable` for no other reason. */
export const ONLY_ERASED = ' (only erased texts)';

/** How many checks came to what; those that are erased are not among the ones that are not checkable. */
export interface CheckCounts extends Readonly<Record<Verdict, number>> {
  readonly erased: number;
}

export function countsOf(checks: readonly CheckResult[]): CheckCounts {
  const counts = { verified: 0, failed: 0, 'not-checkable': 0, erased: 0 };
  for (const check of checks) counts[isErased(check) ? 'erased' : check.result]++;
  return counts;
}

/** All four numbers, whatever they are: for a script. */
export function countsLine(
  of: string,
  { verified, failed, 'not-checkable': gaps, erased }: CheckCounts,
): string {
  return `${of}: ${verified} verified, ${failed} failed, ${gaps} not checkable, ${erased} erased\n`;
}

/** One line per check: verdict, check, subject, and why. */
export function checkLines(checks: readonly CheckResult[]): string {
  return checks.map((check) => `${lineOf(check)}\n`).join('');
}

function lineOf(checked: CheckResult): string {
  const { result, check, subject, reason, detail } = checked;
  const word = isErased(checked) ? ERASED_WORD : VERDICT_WORDS[result];
  const what = `${word.padEnd(13)}  ${check.padEnd(16)}  ${printable(subject)}`;
  if (reason === null) return what;
  const occurrence = detail === null ? '' : ` (${printable(detail)})`;
  return `${what}  ${reason}: ${REASONS[reason]}${occurrence}`;
}
