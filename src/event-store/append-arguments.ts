import type { NewEnvelope } from '../kernel/envelope.js';
import type { ExpectedRevision } from './port.js';

/** @throws {TypeError} for what no caller may ask of any engine */
export function refuseUnusable(expected: ExpectedRevision, events: readonly NewEnvelope[]): void {
  if (expected !== 'no-stream' && !(Number.isSafeInteger(expected) && expected >= 0)) {
    throw new TypeError(`not an expected revision: ${String(expected)}`);
  }
  if (events.length === 0) throw new TypeError('an append has at least one event');
}
