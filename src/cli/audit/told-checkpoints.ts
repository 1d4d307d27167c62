import type { CheckResult } from '../../audit/verify/check-result.js';
import type { Reason } from '../../audit/verify/reasons.js';
import { counted } from '../counted.js';

/** How many lines tell of checkpoints at most. */
const MAX_LINES = 20;

/**
 * What is told of a tree's checkpoints, in the log's order. Of those that fit, the newest alone; so it is of
 * those that are not checkable for one reason, with their number. What is wrong is told of each.
 */
export function toldCheckpoints(tree: readonly CheckResult[]): readonly CheckResult[] {
  const newest = new Map<Reason | null, CheckResult>();
  const numbers = new Map<Reason | null, number>();
  for (const each of tree.filter(isOneOfMany)) {
    newest.set(each.reason, each);
    numbers.set(each.reason, (numbers.get(each.reason) ?? 0) + 1);
  }
  return tree
    .filter((each) => !isOneOfMany(each) || newest.get(each.reason) === each)
    .slice(0, MAX_LINES)
    .map((each) => (isOneOfMany(each) ? withNumber(each, numbers.get(each.reason) ?? 1) : each));
}

function isOneOfMany({ check, result }: CheckResult): boolean {
  return check === 'checkpoint' && result !== 'failed';
}

/** Of the checkpoints that are meant besides this one nothing else is told. */
function withNumber(newest: CheckResult, number: number): CheckResult {
  if (newest.result === 'verified' || number === 1) return newest;
  const alike = `the newest of ${counted(number, 'checkpoint')}`;
  return { ...newest, detail: newest.detail === null ? alike : `${newest.detail}, ${alike}` };
}
