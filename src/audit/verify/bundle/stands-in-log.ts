import type { CheckResult } from '../check-result.js';

/**
 * Does this event stand in the trusted log, where a bundle shows it? Then what it tells is so; otherwise
 * whoever leaves texts out could say that they are erased.
 *
 * @param checks of checkpoint, streams and inclusion
 * @param event `<stream>@<revision>`
 */
export function standsInLog(
  checks: readonly CheckResult[],
  stream: string,
  event: string,
): boolean {
  return checks.every(({ check, subject, result }) => {
    const isAsked =
      check === 'checkpoint' ||
      (check === 'stream' && subject === stream) ||
      (check === 'inclusion' && subject === event);
    return !isAsked || result === 'verified';
  });
}
