import type { RejectionCode } from '../kernel/rejection.js';

/** How a refusal looks over HTTP: its status and the `title` of its problem document (RFC 9457). */
export interface HttpRejection {
  readonly status: number;
  /** The same for every occurrence of the code. */
  readonly title: string;
}

/** Every code of the catalogue, and HTTP's word for it. A forgotten code does not compile. */
export const REJECTION_STATUS = {
  'json-too-large': { status: 413, title: 'Document too large' },
  'json-not-utf8': { status: 400, title: 'Document not UTF-8' },
  'json-syntax': { status: 400, title: 'Document not JSON' },
  'json-too-deep': { status: 400, title: 'Document nested too deeply' },
  'json-duplicate-name': { status: 400, title: 'Duplicate member name' },
  'json-forbidden-name': { status: 400, title: 'Forbidden member name' },
  'json-lone-surrogate': { status: 400, title: 'Lone surrogate' },
  'json-inexact-number': { status: 400, title: 'Number out of exact range' },
  'request-invalid': { status: 400, title: 'Invalid request' },
  'contract-invalid': { status: 422, title: 'Invalid contract' },

  'token-missing': { status: 401, title: 'Token missing' },
  'token-invalid': { status: 401, title: 'Token invalid' },
  'scope-missing': { status: 403, title: 'Scope missing' },
  'not-acting-agent': { status: 403, title: 'Not the acting agent' },
  'issuer-unavailable': { status: 503, title: 'Token issuer unavailable' },

  'agent-not-found': { status: 404, title: 'Agent not found' },
  'agent-exists': { status: 409, title: 'Agent exists' },
  'agent-retired': { status: 409, title: 'Agent retired' },
  'agent-id-invalid': { status: 422, title: 'Invalid agent id' },
  'key-malformed': { status: 422, title: 'Malformed key' },
  'key-unsafe-point': { status: 422, title: 'Unsafe key' },
  'key-proof-invalid': { status: 422, title: 'Invalid proof of possession' },
  'key-id-taken': { status: 409, title: 'Key id taken' },
  'key-exists': { status: 409, title: 'Key exists' },
  'key-not-found': { status: 404, title: 'Key not found' },
  'key-not-valid': { status: 422, title: 'Key not valid' },
  'too-many-keys': { status: 409, title: 'Too many keys' },
  'methods-invalid': { status: 422, title: 'Invalid acceptance methods' },
  'change-signature-required': { status: 403, title: 'Change must be signed' },
  'agent-changed': { status: 409, title: 'Agent has changed' },
  'attestation-unavailable': { status: 503, title: 'Attestation unavailable' },
  'card-key-unavailable': { status: 503, title: 'Card key unavailable' },
  'backend-token-key-unavailable': { status: 503, title: 'Backend token key unavailable' },

  'signature-required': { status: 403, title: 'Signature required' },
  'signature-unexpected': { status: 422, title: 'Signature unexpected' },
  'signature-invalid': { status: 422, title: 'Signature invalid' },
  'signed-time-out-of-range': { status: 422, title: 'Signed time out of range' },
  'method-not-permitted': { status: 403, title: 'Acceptance method not permitted' },

  'interaction-not-found': { status: 404, title: 'Interaction not found' },
  'revision-not-found': { status: 404, title: 'Revision not found' },
  'interaction-exists': { status: 409, title: 'Interaction exists' },
  'interaction-id-invalid': { status: 422, title: 'Invalid interaction id' },
  'interaction-ended': { status: 409, title: 'Interaction ended' },
  'interaction-erased': { status: 410, title: 'Interaction erased' },
  'contract-mismatch': { status: 422, title: 'Contract mismatch' },
  'signatures-not-empty': { status: 422, title: 'Signatures not empty' },
  'parties-invalid': { status: 422, title: 'Invalid parties' },
  'parties-changed': { status: 422, title: 'Parties changed' },
  'party-not-registered': { status: 422, title: 'Party not registered' },
  'expiry-invalid': { status: 422, title: 'Invalid expiry' },
  'deadline-invalid': { status: 422, title: 'Invalid deadline' },
  'deadline-passed': { status: 409, title: 'Deadline passed' },
  'terms-hash-mismatch': { status: 422, title: 'Terms hash mismatch' },
  'terms-unchanged': { status: 422, title: 'Terms unchanged' },
  'too-many-revisions': { status: 409, title: 'Too many revisions' },
  'head-required': { status: 428, title: 'Head required' },
  'head-changed': { status: 409, title: 'Head has changed' },
  'precondition-failed': { status: 412, title: 'Precondition failed' },
  'no-open-proposal': { status: 409, title: 'No open proposal' },
  'already-accepted': { status: 409, title: 'Already accepted' },
  'proposer-cannot-reject': { status: 409, title: 'Proposer cannot reject' },
  'only-proposer-withdraws': { status: 409, title: 'Only the proposer withdraws' },
  'not-active': { status: 409, title: 'Interaction not active' },
  'report-incomplete': { status: 422, title: 'Report incomplete' },
  'already-reported': { status: 409, title: 'Already reported' },
  'policy-does-not-apply': { status: 409, title: 'Policy does not apply' },
  'expiry-not-due': { status: 409, title: 'Expiry not due' },

  'capability-not-found': { status: 404, title: 'Capability not found' },
  'agent-not-hosted': { status: 404, title: 'Agent not hosted' },
  'manifest-invalid': { status: 422, title: 'Invalid manifest' },
  'capability-exists': { status: 409, title: 'Capability exists' },
  'capability-changed': { status: 409, title: 'Capability has changed' },
  'capability-removed': { status: 409, title: 'Capability removed' },
  'expected-revision-required': { status: 428, title: 'Expected revision required' },
  'public-capability-restricted': { status: 422, title: 'Public capability restricted' },
  'contract-action-missing': { status: 422, title: 'Contract action missing' },
  'unauthenticated-with-contract': { status: 422, title: 'Unauthenticated with contract' },
  'capability-meaning-changed': { status: 409, title: 'Capability meaning changed' },
  'state-changes-separately': { status: 422, title: 'State changes separately' },
  'lifecycle-transition-invalid': { status: 409, title: 'Invalid lifecycle transition' },
  'replacement-unexpected': { status: 422, title: 'Replacement unexpected' },
  'replacement-not-found': { status: 422, title: 'Replacement not found' },
  'replacement-removed': { status: 422, title: 'Replacement removed' },
  'replacement-circular': { status: 422, title: 'Replacement circular' },
  'replacement-more-restricted': { status: 422, title: 'Replacement more restricted' },
  'backend-summary-mismatch': { status: 422, title: 'Backend summary mismatch' },
  'capability-in-use': { status: 409, title: 'Capability in use' },
  'capability-not-preview': { status: 409, title: 'Capability not in preview' },
  'too-many-opt-ins': { status: 409, title: 'Too many opt-ins' },

  'task-not-found': { status: 404, title: 'Task not found' },
  'invocation-not-found': { status: 404, title: 'Invocation not found' },
  'invocation-not-overdue': { status: 409, title: 'Invocation not overdue' },
  'approval-required': { status: 409, title: 'Approval required' },
  'approval-not-found': { status: 404, title: 'Approval not found' },
  'approver-involved': { status: 403, title: 'Approver involved' },
  'approval-mismatch': { status: 409, title: 'Approval mismatch' },
  'approval-decided': { status: 409, title: 'Approval decided' },
  'approval-void': { status: 409, title: 'Approval void' },
  'approval-expired': { status: 409, title: 'Approval expired' },

  'idempotency-key-reused': { status: 422, title: 'Idempotency key reused' },
  'idempotency-key-invalid': { status: 400, title: 'Invalid idempotency key' },
  contention: { status: 503, title: 'Too much contention' },

  'cursor-invalid': { status: 400, title: 'Invalid cursor' },
  'position-invalid': { status: 400, title: 'Invalid position token' },
  'projection-behind': { status: 503, title: 'View is behind' },

  'not-found': { status: 404, title: 'Not found' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  'media-type-unsupported': { status: 415, title: 'Media type unsupported' },
  'http-malformed': { status: 400, title: 'Malformed HTTP request' },
  'headers-too-large': { status: 431, title: 'Header fields too large' },
  'request-timeout': { status: 408, title: 'Request timed out' },
  'too-many-streams': { status: 503, title: 'Too many streams' },
  'shutting-down': { status: 503, title: 'Shutting down' },
  'store-unavailable': { status: 503, title: 'Event store unavailable' },
  'internal-error': { status: 500, title: 'Internal error' },
} as const satisfies Record<RejectionCode, HttpRejection>;

/**
 * Seconds that a client should wait before it sends the same request again (`Retry-After`,
 * RFC 9110 section 10.2.3), undefined for refusals that a mere repetition cannot change.
 */
export function retryAfterSeconds(code: RejectionCode): number | undefined {
  return REJECTION_STATUS[code].status === 503 ? 1 : undefined;
}
