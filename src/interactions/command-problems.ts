import type { RejectionCode } from '../kernel/rejection.js';

/** What any act may be refused with. */
export const ACT_PROBLEMS = [
  'signature-required',
  'signature-unexpected',
  'signature-invalid',
  'signed-time-out-of-range',
  'key-not-found',
  'key-not-valid',
  'idempotency-key-reused',
  'contention',
] as const satisfies readonly RejectionCode[];

/** What any act on an existing interaction may be refused with besides. */
export const ON_EXISTING_PROBLEMS = [
  'interaction-not-found',
  'interaction-ended',
  'interaction-erased',
  'head-required',
  'head-changed',
  'precondition-failed',
] as const satisfies readonly RejectionCode[];

/** What new terms may be refused with. */
export const TERMS_PROBLEMS = [
  'contract-invalid',
  'contract-mismatch',
  'signatures-not-empty',
  'party-not-registered',
  'agent-retired',
  'deadline-invalid',
  'terms-hash-mismatch',
] as const satisfies readonly RejectionCode[];
