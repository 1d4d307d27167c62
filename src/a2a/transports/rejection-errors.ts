import type { RejectionCode } from '../../kernel/rejection.js';
import type { A2aErrorName } from '../wire/refusal.js';

/**
 * Every code of the catalogue, and A2A's word for it: the error of A2A or JSON-RPC that means just
 * that, or else a name of `google.rpc.Code`. A forgotten code does not compile.
 */
export const REJECTION_ERRORS = {
  // Input that has no single meaning
  'json-too-large': 'INVALID_ARGUMENT',
  'json-not-utf8': 'ParseError',
  'json-syntax': 'ParseError',
  'json-too-deep': 'InvalidRequest',
  'json-too-many-values': 'InvalidRequest',
  'json-duplicate-name': 'InvalidRequest',
  'json-forbidden-name': 'InvalidRequest',
  'json-lone-surrogate': 'InvalidRequest',
  'json-inexact-number': 'InvalidRequest',
  'request-invalid': 'INVALID_ARGUMENT',
  'contract-invalid': 'INVALID_ARGUMENT',

  // Who calls
  'token-missing': 'UNAUTHENTICATED',
  'token-invalid': 'UNAUTHENTICATED',
  'scope-missing': 'PERMISSION_DENIED',
  'not-acting-agent': 'PERMISSION_DENIED',
  'issuer-unavailable': 'UNAVAILABLE',

  // Agents and keys
  'agent-not-found': 'NOT_FOUND',
  'agent-exists': 'ABORTED',
  'agent-retired': 'ABORTED',
  'agent-id-invalid': 'INVALID_ARGUMENT',
  'key-malformed': 'INVALID_ARGUMENT',
  'key-unsafe-point': 'INVALID_ARGUMENT',
  'key-proof-invalid': 'INVALID_ARGUMENT',
  'key-id-taken': 'ABORTED',
  'key-exists': 'ABORTED',
  'key-not-found': 'NOT_FOUND',
  'key-not-valid': 'INVALID_ARGUMENT',
  'too-many-changes': 'ABORTED',
  'too-many-keys': 'ABORTED',
  'methods-invalid': 'INVALID_ARGUMENT',
  'change-signature-required': 'PERMISSION_DENIED',
  'agent-changed': 'ABORTED',
  'attestation-unavailable': 'UNAVAILABLE',
  'card-key-unavailable': 'UNAVAILABLE',
  'backend-token-key-unavailable': 'UNAVAILABLE',

  // Signatures
  'signature-required': 'PERMISSION_DENIED',
  'signature-unexpected': 'INVALID_ARGUMENT',
  'signature-invalid': 'INVALID_ARGUMENT',
  'signed-time-out-of-range': 'INVALID_ARGUMENT',
  'method-not-permitted': 'PERMISSION_DENIED',

  // Interactions
  'interaction-not-found': 'NOT_FOUND',
  'revision-not-found': 'NOT_FOUND',
  'interaction-exists': 'ABORTED',
  'interaction-id-invalid': 'INVALID_ARGUMENT',
  'interaction-ended': 'ABORTED',
  'interaction-erased': 'NOT_FOUND',
  'contract-mismatch': 'INVALID_ARGUMENT',
  'signatures-not-empty': 'INVALID_ARGUMENT',
  'parties-invalid': 'INVALID_ARGUMENT',
  'parties-changed': 'INVALID_ARGUMENT',
  'party-not-registered': 'INVALID_ARGUMENT',
  'expiry-invalid': 'INVALID_ARGUMENT',
  'deadline-invalid': 'INVALID_ARGUMENT',
  'deadline-passed': 'ABORTED',
  'terms-hash-mismatch': 'INVALID_ARGUMENT',
  'terms-unchanged': 'INVALID_ARGUMENT',
  'too-many-revisions': 'ABORTED',
  'head-required': 'FAILED_PRECONDITION',
  'head-changed': 'ABORTED',
  'precondition-failed': 'FAILED_PRECONDITION',
  'no-open-proposal': 'ABORTED',
  'already-accepted': 'ABORTED',
  'proposer-cannot-reject': 'ABORTED',
  'only-proposer-withdraws': 'ABORTED',
  'not-active': 'ABORTED',
  'report-incomplete': 'INVALID_ARGUMENT',
  'already-reported': 'ABORTED',
  'policy-does-not-apply': 'ABORTED',
  'expiry-not-due': 'ABORTED',
  'interaction-not-ended': 'ABORTED',
  'already-consented': 'ABORTED',
  'erasure-not-due': 'ABORTED',

  // Capabilities
  'capability-not-found': 'NOT_FOUND',
  'agent-not-hosted': 'NOT_FOUND',
  'manifest-invalid': 'INVALID_ARGUMENT',
  'capability-exists': 'ABORTED',
  'capability-changed': 'ABORTED',
  'capability-removed': 'ABORTED',
  'expected-revision-required': 'FAILED_PRECONDITION',
  'public-capability-restricted': 'INVALID_ARGUMENT',
  'contract-action-missing': 'INVALID_ARGUMENT',
  'unauthenticated-with-contract': 'INVALID_ARGUMENT',
  'capability-meaning-changed': 'ABORTED',
  'state-changes-separately': 'INVALID_ARGUMENT',
  'lifecycle-transition-invalid': 'ABORTED',
  'replacement-unexpected': 'INVALID_ARGUMENT',
  'replacement-not-found': 'INVALID_ARGUMENT',
  'replacement-removed': 'INVALID_ARGUMENT',
  'replacement-circular': 'INVALID_ARGUMENT',
  'replacement-more-restricted': 'INVALID_ARGUMENT',
  'backend-summary-mismatch': 'INVALID_ARGUMENT',
  'capability-in-use': 'ABORTED',
  'capability-not-preview': 'ABORTED',
  'too-many-opt-ins': 'ABORTED',

  // Invocations
  'task-not-found': 'NOT_FOUND',
  'invocation-not-found': 'NOT_FOUND',
  'invocation-not-overdue': 'ABORTED',
  'approval-required': 'ABORTED',
  'approval-not-found': 'NOT_FOUND',
  'approver-involved': 'PERMISSION_DENIED',
  'approval-mismatch': 'ABORTED',
  'approval-decided': 'ABORTED',
  'approval-void': 'ABORTED',
  'approval-expired': 'ABORTED',

  // Retries and contention
  'idempotency-key-reused': 'INVALID_ARGUMENT',
  'idempotency-key-invalid': 'INVALID_ARGUMENT',
  contention: 'UNAVAILABLE',

  // Reads
  'cursor-invalid': 'INVALID_ARGUMENT',
  'position-invalid': 'INVALID_ARGUMENT',
  'projection-behind': 'UNAVAILABLE',
  'checkpoint-behind': 'UNAVAILABLE',
  'checkpoint-key-missing': 'UNIMPLEMENTED',
  'log-inconsistent': 'UNAVAILABLE',
  'beyond-checkpoint': 'NOT_FOUND',
  'witness-unknown': 'INVALID_ARGUMENT',

  // The service itself
  'not-found': 'NOT_FOUND',
  'method-not-allowed': 'UNIMPLEMENTED',
  'media-type-unsupported': 'ContentTypeNotSupported',
  'http-malformed': 'INVALID_ARGUMENT',
  'headers-too-large': 'INVALID_ARGUMENT',
  'request-timeout': 'DEADLINE_EXCEEDED',
  'too-many-streams': 'UNAVAILABLE',
  'shutting-down': 'UNAVAILABLE',
  'store-unavailable': 'UNAVAILABLE',
  'internal-error': 'INTERNAL',
} as const satisfies Record<RejectionCode, NamedError | StatusName>;

/** Their codes and statuses are those of A2A's table. */
export type NamedError = Extract<
  A2aErrorName,
  'ParseError' | 'InvalidRequest' | 'ContentTypeNotSupported'
>;

/** Their HTTP status is the one that the code has everywhere. */
export type StatusName =
  | 'ABORTED'
  | 'DEADLINE_EXCEEDED'
  | 'FAILED_PRECONDITION'
  | 'INTERNAL'
  | 'INVALID_ARGUMENT'
  | 'NOT_FOUND'
  | 'PERMISSION_DENIED'
  | 'UNAUTHENTICATED'
  | 'UNAVAILABLE'
  | 'UNIMPLEMENTED';
