import type { RejectionCode } from '../kernel/rejection.js';

/** What any change of an agent may be refused with. */
export const CHANGE_PROBLEMS = [
  'agent-not-found',
  'agent-retired',
  'agent-changed',
  'too-many-changes',
  'not-acting-agent',
  'change-signature-required',
  'signature-unexpected',
  'signature-invalid',
  'signed-time-out-of-range',
  'key-not-found',
  'key-not-valid',
  'idempotency-key-reused',
  'contention',
] as const satisfies readonly RejectionCode[];

/** What a new key may be refused with. */
export const KEY_PROBLEMS = [
  'key-malformed',
  'key-unsafe-point',
  'key-proof-invalid',
  'key-id-taken',
  'key-exists',
  'too-many-keys',
] as const satisfies readonly RejectionCode[];
