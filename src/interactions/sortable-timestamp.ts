import type { Timestamp } from '../kernel/timestamp.js';

/**
 * A moment whose text order is its order in time, however many digits its writer spent on the
 * second: the `Z` and what the fraction does not need are gone. Two spellings of one moment are one.
 */
export function sortable(timestamp: Timestamp): string {
  const text = timestamp.slice(0, -1);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
