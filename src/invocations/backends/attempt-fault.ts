import type { BackendFailure, BackendFailureCode } from '../commands/backends.js';

/**
 * How an attempt went wrong.
 *
 * - `unsent`: no connection came about, so nothing can have been done
 * - `lost`: the connection broke, and nobody knows what was done
 * - `broken`: the backend answered that it is the one to blame (5xx)
 * - `busy`: it does not want the call just now (429)
 * - `timed-out`, `canceled`: nobody waits for the answer any more
 * - `unfinished`: the answer is that the backend goes on working at it
 * - `not-tried`: a circuit of it is open, no token can be made, or the call is over
 * - `answered`: it refused, failed, or answered what is no answer
 */
export type FaultKind =
  | 'unsent'
  | 'lost'
  | 'broken'
  | 'busy'
  | 'timed-out'
  | 'canceled'
  | 'unfinished'
  | 'not-tried'
  | 'answered';

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

/** Of names and codes; a text would be no word. */
const WORD = /^[\w.:-]{1,64}$/;

/**
 * What logs may say of a failure that others made: its name and its code. Its text is theirs, and may
 * repeat what they were sent.
 */
export function wordFor(error: unknown): string {
  const { name, code } = Object(error) as { readonly name?: unknown; readonly code?: unknown };
  const words = [name, code]
    .filter((each) => typeof each === 'string' || typeof each === 'number')
    .map(String)
    .filter((each) => WORD.test(each));
  return words.length === 0 ? 'unknown' : words.join(' ');
}

/** What callers are told of each; null: that it failed is all. */
const CODES: Readonly<Record<FaultKind, BackendFailureCode | null>> = {
  unsent: 'backend-not-reached',
  lost: 'backend-lost',
  broken: 'backend-broken',
  busy: 'backend-busy',
  'timed-out': 'backend-timed-out',
  canceled: 'backend-canceled',
  unfinished: 'backend-unfinished',
  'not-tried': 'backend-not-tried',
  answered: null,
};

/** Those after which nobody knows what the backend did. */
const UNKNOWN: ReadonlySet<FaultKind> = new Set<FaultKind>([
  'lost',
  'broken',
  'timed-out',
  'canceled',
  'unfinished',
]);

/** What a call came to, whose last attempt went wrong in this way. */
export function backendFailureOf(fault: AttemptFault): BackendFailure {
  const { kind, message: detail, retryAfterSeconds } = fault;
  const code = CODES[kind];
  const more = { detail, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
  if (code === null) return { kind: 'failed', ...more };
  return { kind: 'unavailable', code, isUnknown: isUnknown(fault), ...more };
}

/** May the attempt have done what it was for, without anybody knowing? */
export function isUnknown({ kind }: AttemptFault): boolean {
  return UNKNOWN.has(kind);
}

/** May the call be made again? What may have been done is only done twice where it does no harm. */
export function isRepeatable({ kind }: AttemptFault, isIdempotent: boolean): boolean {
  if (kind === 'unsent') return true;
  return isIdempotent && (kind === 'lost' || kind === 'broken' || kind === 'busy');
}
