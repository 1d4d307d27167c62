import type { CheckResult, Verdict } from '../audit/verify/check-result.js';
import { REASONS } from '../audit/verify/reasons.js';
import { printable } from './printable.js';

/** How verdicts are told to a person. */
export const VERDICT_WORDS: Readonly<Record<Verdict, string>> = {
  verified: 'verified',
  failed: 'failed',
  'not-checkable': 'not checkable',
};

/** Of a command that verifies: 2 stays for inputs that cannot be read. */
export const VERDICT_EXIT_CODES: Readonly<Record<Verdict, number>> = {
  verified: 0,
  failed: 1,
  'not-checkable': 3,
};

/** One line per check: verdict, check, subject, and why. */
export function checkLines(checks: readonly CheckResult[]): string {
  return checks.map((check) => `${lineOf(check)}\n`).join('');
}

function lineOf({ result, check, subject, reason, detail }: CheckResult): string {
  const what = `${VERDICT_WORDS[result].padEnd(13)}  ${check.padEnd(16)}  ${printable(subject)}`;
  if (reason === null) return what;
  const occurrence = detail === null ? '' : ` (${printable(detail)})`;
  return `${what}  ${reason}: ${REASONS[reason]}${occurrence}`;
}
