import type { Rejection } from '../kernel/rejection.js';
import { err, ok, type Result } from '../kernel/result.js';

const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;

/** `Idempotency-Key` verbatim. Refuses with `idempotency-key-invalid`. */
export function parseIdempotencyKey(text: string): Result<string, Rejection> {
  return IDEMPOTENCY_KEY.test(text) ? ok(text) : err({ code: 'idempotency-key-invalid' });
}
