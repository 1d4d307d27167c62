import type { RevisionStatus } from './federated-interaction.js';
import { ID_FORM, type TermsHash } from './ids.js';
import type { JsonObject, JsonPointer } from './json.js';

/**
 * The closed catalogue of refusals: code → what it means, in one sentence that a developer can act
 * on. Each transport maps every code (`satisfies Record<RejectionCode, …>`): a forgotten one does
 * not compile. What is of one transport only, as a limit of its own, is said there: `WORDS`. The service
 * serves each entry at the `type` URI of its problem documents.
 */
export const REJECTIONS = {
  // Input that has no single meaning
  'json-too-large': 'The document is larger than is read here.',
  'json-not-utf8': 'The document is not valid UTF-8.',
  'json-syntax': 'The document is not JSON (RFC 8259).',
  'json-too-deep': 'Arrays and objects are nested deeper than 64 levels.',
  'json-too-many-values': 'The document holds more than 50,000 values.',
  'json-duplicate-name': 'An object has two members of one name, possibly spelled with escapes.',
  'json-forbidden-name': 'An object has a member named __proto__.',
  'json-lone-surrogate': 'A string or a member name holds half of a surrogate pair.',
  'json-inexact-number': 'A number would change its value when read as a double.',
  'request-invalid':
    'The request does not have the documented shape; `errors` points at each fault.',
  'contract-invalid':
    'The contract does not match the wire schema, or asks for more answers than a report can carry; `errors` points at each fault.',

  // Who calls
  'token-missing': 'The request carries no bearer token.',
  'token-invalid':
    'The bearer token is malformed, expired, from another issuer, for another audience, or wrongly signed.',
  'scope-missing': 'The token lacks the scope that this operation needs.',
  'not-acting-agent':
    'The token may not act as this agent: it is bound to another agent, tenant, client or owner.',
  'issuer-unavailable':
    "The token issuer's keys cannot be read just now, so the token was not judged; try again.",

  // Agents and keys
  'agent-not-found': 'No such agent is registered.',
  'agent-exists': 'An agent of this id is already registered.',
  'agent-retired': 'The agent is retired.',
  'agent-id-invalid': `Agent ids match ${ID_FORM}.`,
  'key-malformed':
    'The key is neither an OKP/Ed25519 JWK nor a base64url SPKI of an Ed25519 key in canonical spelling.',
  'key-unsafe-point':
    'The public key is non-canonical, of small order or not in the prime-order subgroup.',
  'key-proof-invalid':
    'The proof of possession is not a valid signature of the new key over the agent/key-proof statement.',
  'key-id-taken': 'The agent has, or had, a key of this id.',
  'key-exists': 'The agent has, or had, this very key.',
  'key-not-found': 'The agent has no key of this id.',
  'key-not-valid': 'The key is revoked, replaced, or not yet valid at this moment.',
  'too-many-changes':
    'The agent was changed 10,000 times; only keys can be revoked now, and the agent retired.',
  'too-many-keys': 'An agent has at most 64 keys, past ones included.',
  'methods-invalid': 'The acceptance methods are empty, or name ed25519 for an agent without keys.',
  'change-signature-required':
    'An agent with keys changes only by a signature of a valid key of its own, or by its owner with agents:admin.',
  'agent-changed':
    'The agent has changed since the revision that the request names; read it and sign again.',
  'attestation-unavailable':
    'This node holds no platform key that may attest; nothing was recorded.',
  'card-key-unavailable':
    'This node holds no platform key that may sign agent cards, so it serves none.',
  'backend-token-key-unavailable':
    'This node holds no platform key that may sign the tokens of backends, so it calls none.',

  // Signatures
  'signature-required': 'This agent signs with its own key: the request carries no signature.',
  'signature-unexpected': 'The agent has no keys, so a signature cannot be verified.',
  'signature-invalid':
    'The signature does not verify over the statement that this request amounts to, is not in its one canonical spelling, or has served an act of this interaction before.',
  'signed-time-out-of-range':
    "The signed moment is further from the server's clock than the leeway allows.",
  'method-not-permitted':
    'The agent does not accept by the method that the token and the proof amount to.',

  // Interactions
  'interaction-not-found': 'No such interaction, or the caller is not a party of it.',
  'revision-not-found': 'The interaction has no revision of this number.',
  'interaction-exists': 'This interaction id is taken.',
  'interaction-id-invalid': 'Interaction ids are lower-case UUIDs, neither nil nor max.',
  'interaction-ended': 'The interaction has reached a terminal status.',
  'interaction-erased':
    'The texts of this interaction are erased; identifiers, hashes, signatures and times remain.',
  'contract-mismatch':
    'The contract names another interaction or protocol version than the request.',
  'signatures-not-empty': 'contract.signatures must be {}: consent lives in acceptances.',
  'parties-invalid':
    'Parties are 2 to 16 different registered agents, initiator and responder among them and different.',
  'parties-changed': 'The parties are fixed for the life of an interaction.',
  'party-not-registered': 'A party is not a registered agent, or is retired.',
  'expiry-invalid': 'expiresAt must lie in the future, at most 366 days ahead.',
  'deadline-invalid': "The contract's deadline must lie in the future.",
  'deadline-passed': "The contract's deadline has passed.",
  'terms-hash-mismatch': 'The terms hash sent is not the hash of the terms.',
  'terms-unchanged': "The new terms equal the newest revision's or the terms in force.",
  'too-many-revisions':
    'An interaction has at most 200 revisions, and 4 MiB of terms in all of them.',
  'head-required':
    'Name the head that the command was written against: `head` in the body or an If-Match header.',
  'head-changed': 'The interaction has moved on; `head` is where it stands now.',
  'precondition-failed': 'If-Match does not name the current head; `head` is where it stands now.',
  'no-open-proposal': 'There is no open proposal.',
  'already-accepted': 'This agent has already accepted these terms.',
  'proposer-cannot-reject': 'The proposer withdraws its own proposal; it does not reject it.',
  'only-proposer-withdraws': 'Only the proposer withdraws a proposal.',
  'not-active': 'The interaction is not active.',
  'report-incomplete':
    'The report must answer every success criterion, completion condition and evidence requirement exactly once.',
  'already-reported': 'This agent has already reported on the terms in force.',
  'policy-does-not-apply': 'The stored acceptance policy does not cover this proposal.',
  'expiry-not-due': 'The expiresAt of the interaction still lies ahead.',
  'interaction-not-ended': 'The interaction goes on: its texts can be erased only after its end.',
  'already-consented': 'This agent has already consented to the erasure.',
  'erasure-not-due':
    'The texts are retained: their retention has not run out, and not every party has consented to their erasure.',

  // Capabilities
  'capability-not-found': 'No such capability is registered, or the caller may not know of it.',
  'agent-not-hosted': "This deployment hosts no agent of this id for the caller's tenant.",
  'manifest-invalid':
    'The manifest has not the documented shape or breaks several rules; `errors` points at each fault.',
  'capability-exists':
    'A capability of this id is, or was, registered for the agent; removed ones keep their id.',
  'capability-changed':
    'The capability has changed since the revision that the request names; read it again.',
  'capability-removed': 'The capability is removed; that is final.',
  'expected-revision-required':
    'Name the revision that the change was written against: If-Match, or `expectedRevision`.',
  'public-capability-restricted':
    'A public capability requires no scopes and is for all tenants ("*"): its card is for everybody.',
  'contract-action-missing':
    'A capability that requires a contract names the action that the contract must allow.',
  'unauthenticated-with-contract':
    'A capability that requires a contract cannot be invoked without authentication.',
  'capability-meaning-changed':
    'Modes and schemas of a capability that was released cannot change: register a new id.',
  'state-changes-separately':
    'A revision keeps state and replacement; they are changed by the state of the capability.',
  'lifecycle-transition-invalid':
    'A capability goes from preview to ga to deprecated to removed, one step at a time.',
  'replacement-unexpected': 'Only a deprecated or removed capability names a replacement.',
  'replacement-not-found': 'The replacement is no registered capability of the same agent.',
  'replacement-removed': 'The replacement is itself removed.',
  'replacement-circular': 'The replacement is, or leads back to, the capability itself.',
  'replacement-more-restricted':
    'A caller of a capability could not use its replacement, which is more restricted.',
  'backend-summary-mismatch':
    'direct_invoke.backend is not what the backend that is bound to the handler says of itself.',
  'capability-in-use':
    'The capability was called within the last 30 days: wait, or force the removal with a reason.',
  'capability-not-preview': 'Callers are let into a preview, and this capability is none.',
  'too-many-opt-ins': 'A preview is open to at most 1000 callers.',

  // Invocations
  'task-not-found': 'The agent has no such task, or the caller may not know of it.',
  'invocation-not-found': 'No such invocation was admitted.',
  'invocation-not-overdue': 'The deadline of the invocation still lies ahead.',
  'approval-required':
    'The call has no approval that was given for it, is not expired, and is for the same terms, action, data and arguments.',
  'approval-not-found':
    'No approval was asked for under this id, or the caller may not know of it.',
  'approver-involved':
    'Whoever called does not decide, nor the owner or a client of the calling agent, now or then, nor a token that speaks for it.',
  'approval-mismatch':
    'The decision names other terms or arguments than the call has; read it again.',
  'approval-decided': 'The approval was decided otherwise; that is final.',
  'approval-void': 'The call has ended, or its terms are not in force: there is nothing to decide.',
  'approval-expired': 'The approval has expired.',

  // Retries and contention
  'idempotency-key-reused': 'The Idempotency-Key was used with another request.',
  'idempotency-key-invalid': 'An Idempotency-Key is 1 to 255 printable ASCII characters.',
  contention: 'Too many writers at once on this stream; nothing was recorded, try again.',

  // Reads
  'cursor-invalid': 'The cursor was not made by this service for this list.',
  'position-invalid': 'The position token was not made by this service.',
  'projection-behind': 'The view has not yet caught up with the position token; try again.',
  'checkpoint-behind':
    'No published checkpoint of the log covers what was asked for yet; try again.',
  'checkpoint-key-missing':
    'No checkpoint of the log covers what was asked for, and this node holds no key to sign one.',
  'log-inconsistent':
    'What this node’s log holds is not what was signed of it; an operator has to look into this.',
  'beyond-checkpoint': 'No published checkpoint of the log reaches so far, or has this text.',
  'witness-unknown': 'The note carries no signature of a witness that this log is configured with.',

  // The service itself
  'not-found': 'Nothing is served at this address.',
  'method-not-allowed': 'The address does not support this method.',
  'media-type-unsupported': 'The request body is of a media type that is not read here.',
  'http-malformed':
    'The request is not well-formed HTTP, expects what no server here does, or its address is wrongly encoded.',
  'headers-too-large': 'The request line and header fields are larger than 16 KiB.',
  'request-timeout': 'The request did not arrive completely in time.',
  'too-many-streams':
    'This node, or the caller on it, has as many event streams open, pages of events or bundles under way, or large answers that it has not read yet, as are served; try again.',
  'shutting-down': 'This node is shutting down and takes no new requests; try again.',
  'store-unavailable':
    'A store of this service cannot be reached or takes no writes; nothing was recorded as far as it knows, a retry is safe.',
  'internal-error': 'The service failed; the fault is logged under the correlation id.',
} as const satisfies Record<string, string>;

export type RejectionCode = keyof typeof REJECTIONS;

/** One fault in a document. */
export interface Fault {
  readonly pointer: JsonPointer;
  readonly detail: string;
}

/**
 * Where an interaction stands: its newest revision. A counter-proposal, an amendment, a completing
 * acceptance and a rejection each change it; one of several acceptances does not.
 */
export interface Head {
  readonly revision: number;
  readonly status: RevisionStatus;
  readonly termsHash: TermsHash;
}

/** Whether both name the same revision, in the same status and with the same terms. */
export function sameHead(a: Head, b: Head): boolean {
  return a.revision === b.revision && a.status === b.status && a.termsHash === b.termsHash;
}

/**
 * Why a command or a request was refused: a value, never thrown by a decision. What is here may be
 * shown to whoever asked; the transport adds status and title by `code`.
 */
export interface Rejection {
  readonly code: RejectionCode;
  /** One sentence about this occurrence; never driver text, never another tenant's data. */
  readonly detail?: string;
  readonly faults?: readonly Fault[];
  readonly head?: Head;
  /** Of an erased document: identifiers, hashes, signatures and times. */
  readonly remains?: JsonObject;
}
