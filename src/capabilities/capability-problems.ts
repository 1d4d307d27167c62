import type { RejectionCode } from '../kernel/rejection.js';

/** What any change of a capability may be refused with. */
export const CHANGE_PROBLEMS = [
  'capability-not-found',
  'capability-removed',
  'idempotency-key-reused',
  'contention',
] as const satisfies readonly RejectionCode[];

/** What a change that names a revision may be refused with besides. */
export const REVISION_PROBLEMS = [
  'capability-changed',
  'precondition-failed',
  'expected-revision-required',
] as const satisfies readonly RejectionCode[];

/** What a manifest may be refused with. */
export const MANIFEST_PROBLEMS = [
  'manifest-invalid',
  'public-capability-restricted',
  'contract-action-missing',
  'unauthenticated-with-contract',
  'backend-summary-mismatch',
] as const satisfies readonly RejectionCode[];

/** What a pointer to a replacement may be refused with. */
export const REPLACEMENT_PROBLEMS = [
  'replacement-unexpected',
  'replacement-not-found',
  'replacement-removed',
  'replacement-circular',
  'replacement-more-restricted',
] as const satisfies readonly RejectionCode[];
