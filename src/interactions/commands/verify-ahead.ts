import { verifyEd25519Ahead } from '../../kernel/ed25519.js';
import type { ExpectedSignature } from '../domain/expected-acceptance.js';

/** Begun together at the end of this turn of the event loop. */
let waiting: (() => void)[] = [];

/**
 * Verifies on another thread a signature that a decision is about to look at. Those of one turn of
 * the event loop are begun together: to wake the threads for each costs more than to begin it, and
 * what ends together is appended together.
 */
export function verifyAhead({ jwk, text, value }: ExpectedSignature): Promise<void> {
  return new Promise((resolve, reject) => {
    if (waiting.length === 0) setImmediate(beginAll);
    waiting.push(() => {
      verifyEd25519Ahead(jwk, text, value).then(resolve, reject);
    });
  });
}

function beginAll(): void {
  const all = waiting;
  waiting = [];
  for (const begin of all) begin();
}
