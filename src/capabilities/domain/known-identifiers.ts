import type { Timestamp } from '../../kernel/timestamp.js';

/**
 * What entries of contracts are understood by: values that capabilities use, compared exactly. An entry
 * that is none of them is prose, which applies to every call.
 */
export interface KnownIdentifiers {
  /**
   * Whether the value was one at that moment. Terms mean what they meant when they were proposed:
   * what becomes known later changes nothing of them.
   */
  has(value: string, at: Timestamp): boolean;
}
