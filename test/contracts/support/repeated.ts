import { expect } from '@jest/globals';
import type { AppendConflict, Appended } from '../../../src/event-store/port.js';
import type { Result } from '../../../src/kernel/result.js';
import { value } from './reading.js';

/** The result of an append that was sent before: its place, and no word that it was written now. */
export function expectRepeated(
  again: Result<Appended, AppendConflict>,
  first: Result<Appended, AppendConflict>,
): void {
  const { revision, position } = value(first);
  expect(again).toEqual({ ok: true, value: { revision, position } });
}
