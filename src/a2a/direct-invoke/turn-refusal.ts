import type { JsonPointer } from '../../kernel/json.js';
import type { A2aRefusal } from '../wire/refusal.js';
import { directRefusal, type CallIds, type DirectInvokeCode } from './direct-refusal.js';

/** Codes of ours that are about the key of a call. */
const KEY_CODES: ReadonlySet<string> = new Set([
  'message-id-reused',
  'message-id-spent',
  'idempotency-key-reused',
  'idempotency-key-spent',
]);

/**
 * A refusal of what every turn has, such as limits and places, in the extension's words: its own code
 * becomes the inner one. What is no matter of the extension (a webhook, a context) stays as it is.
 * @param payload where the payload stands
 */
export function inWordsOfDirect(
  refusal: A2aRefusal,
  call: CallIds,
  payload: JsonPointer,
): A2aRefusal {
  const { code: inner, detail, faults, metadata, retryAfterSeconds } = refusal;
  const code = codeFor(refusal);
  if (code === undefined || inner === undefined) return refusal;
  const isKey = inner.startsWith('idempotency-key');
  const at = isKey ? [{ pointer: `${payload}/idempotencyKey`, detail }] : faults;
  return directRefusal(code, detail, call, {
    refusal: inner,
    ...(at === undefined ? {} : { faults: at }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

function codeFor({ error, code = '' }: A2aRefusal): DirectInvokeCode | undefined {
  if (KEY_CODES.has(code)) return 'IDEMPOTENCY_CONFLICT';
  if (error === 'RateLimited' || error === 'Unavailable') return 'BACKEND_UNAVAILABLE';
  if (code === 'message-too-large' || code === 'too-many-parts') return 'INVALID_ARGUMENTS';
  return undefined;
}
