import type { NewEnvelope } from '../kernel/envelope.js';
import type { Basis, ExpectedRevision } from './port.js';

/** @throws {TypeError} for what no caller may ask of any engine */
export function refuseUnusable(
  stream: string,
  expected: ExpectedRevision,
  events: readonly NewEnvelope[],
  basis: Basis,
): void {
  if (expected !== 'no-stream' && !isRevision(expected)) {
    throw new TypeError(`not an expected revision: ${String(expected)}`);
  }
  for (const [name, revision] of Object.entries(basis)) {
    if (name === stream) throw new TypeError('a stream is no basis of itself');
    if (!isRevision(revision)) throw new TypeError(`not a revision: ${String(revision)}`);
  }
  if (events.length === 0) throw new TypeError('an append has at least one event');
}

function isRevision(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
