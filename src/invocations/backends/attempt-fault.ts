import type { BackendFailure } from '../commands/backends.js';

/**
 * How an attempt went wrong.
 *
 * - `unsent`: no connection came about, so nothing can have been done
 * - `lost`: the connection broke, and nobody knows what was done
 * - `broken`: the backend answered that it is the one to blame (5xx)
 * - `busy`: it does not want the call just now (429)
 * - `timed-out`, `canceled`: nobody waits for the answer any more
 * - `not-tried`: its circuit is open, or no token can be made
 * - `answered`: it refused, failed, or answered what is no answer
 */
export type FaultKind =
  'unsent' | 'lost' | 'broken' | 'busy' | 'timed-out' | 'canceled' | 'not-tried' | 'answered';

/** Thrown inside of an attempt, through the clients of SDKs, and a value outside of it. */
export class AttemptFault extends Error {
  override readonly name = 'AttemptFault';

  /** @param retryAfterSeconds what the backend asks for */
  constructor(
    readonly kind: FaultKind,
    message: string,
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
  }
}

export function failureOf({ kind, message, retryAfterSeconds }: AttemptFault): BackendFailure {
  return {
    kind: kind === 'answered' ? 'failed' : 'unavailable',
    detail: message,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
}

/** Does it tell that the backend is not well? */
export function isIllness({ kind }: AttemptFault): boolean {
  return kind === 'unsent' || kind === 'lost' || kind === 'broken' || kind === 'timed-out';
}

/** May the call be made again? What may have been done is only done twice where it does no harm. */
export function isRepeatable({ kind }: AttemptFault, isIdempotent: boolean): boolean {
  if (kind === 'unsent') return true;
  return isIdempotent && (kind === 'lost' || kind === 'broken' || kind === 'busy');
}
