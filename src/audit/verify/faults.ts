import type { Fault } from '../../kernel/rejection.js';

/** Faults of a schema, in one line: the first one, and how many more there are. */
export function inWords(faults: readonly Fault[]): string {
  const [first] = faults;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  return first === undefined ? '' : `${first.pointer || 'the document'} ${first.detail}${more}`;
}
