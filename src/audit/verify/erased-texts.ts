import type { CheckResult } from './check-result.js';

/**
 * Is this what a check of an interaction says that wants for its texts? The rules of a policy are texts of
 * an agent, which no erasure of an interaction takes.
 */
export function lacksTexts({ reason, detail }: CheckResult): boolean {
  return reason === 'texts-missing' && detail !== 'policy';
}

/**
 * Do these results of one event tell that the texts of its interaction were erased? Nothing speaks against
 * it, unless that nobody can say any more whether it was due.
 */
export function tellsErasure(type: unknown, results: readonly CheckResult[]): boolean {
  return (
    type === 'texts-erased' &&
    results.every(({ result }) => result !== 'failed') &&
    results.some(({ check, reason }) => check === 'transition' && reason !== 'state-unknown')
  );
}

/** The result of a check that wants for texts, once it is known which event tells of their erasure. */
export function asErased(result: CheckResult, erasure: string): CheckResult {
  return { ...result, reason: 'erased', detail: erasure };
}

/** Is it not checkable for the one reason that the texts are erased? */
export function isErased({ reason }: CheckResult): boolean {
  return reason === 'erased';
}

/**
 * One result in place of all those of an interaction that only say that its texts are erased.
 *
 * @param erasure the event that tells it, `<stream>@<revision>`
 * @param count how many checks want for the texts
 */
export function erasedTexts(erasure: string, count: number): CheckResult {
  const subject = erasure.slice(0, erasure.lastIndexOf('@'));
  const detail = `${count} ${count === 1 ? 'check' : 'checks'}, ${erasure}`;
  return { result: 'not-checkable', check: 'texts', subject, reason: 'erased', detail };
}
