/** `not-checkable`: nothing is wrong as far as the given data goes, but something is missing. */
export type Verdict = 'verified' | 'failed' | 'not-checkable';

/** Stable names of the checks. */
export type CheckId =
  | 'schema'
  | 'limits'
  | 'identity'
  | 'parties'
  | 'revision-numbers'
  | 'top-level'
  | 'status'
  | 'times'
  | 'terms-hash'
  | 'signatures-empty'
  | 'revision-link'
  | 'acceptances'
  | 'acceptance'
  | 'attestation';

/** Why a check did not come out as `verified`: stable codes, each in one sentence. */
export const REASONS = {
  // The document itself
  'schema-violation': 'The document does not match the wire schema.',
  'too-many': 'There are more than 200 revisions, or more than 16 parties or acceptances in one.',
  erased: 'The texts are erased: without the contracts no hash can be recomputed.',
  'id-invalid': 'An id has not the spelling that the service gives or takes.',
  'interaction-id-mismatch': 'A part of the document belongs to another interaction.',
  'revision-id-repeated': 'Two revisions have one id.',
  'parties-invalid':
    'Parties are 2 to 16 different agents, initiator and responder among them and different.',
  'parties-changed': 'The parties are not the same throughout.',
  'proposer-not-a-party': 'A revision was proposed by an agent that is no party.',
  'first-proposer-not-initiator': 'Revision 1 was not proposed by the initiator.',
  'no-revisions': 'There is no revision.',
  'revision-numbers-not-contiguous': 'Revisions are not numbered 1, 2, 3 and so on, in order.',
  'top-level-differs':
    'The top level does not repeat the terms in force, or without any the newest proposal.',
  'status-inconsistent': 'The status does not agree with the statuses of the revisions.',
  'times-inconsistent': 'The moments cannot have followed each other like this.',
  'expiry-not-repeated': "A revision does not repeat the interaction's expiresAt verbatim.",
  'too-late': 'Something happened at or after the deadline or expiresAt.',

  // Revisions
  'terms-hash-mismatch': 'The terms hash is not the hash of the terms.',
  'signatures-not-empty': 'contract.signatures must be {}: consent lives in acceptances.',
  'link-broken': "previousTermsHash is not the preceding revision's hash.",
  'terms-unchanged': "The terms equal the preceding revision's or those in force.",
  'acceptance-missing': 'An agent whose acceptance is needed has not accepted.',
  'acceptance-surplus': 'Every party has accepted, but the revision is not accepted.',

  // Acceptances and keys
  'agent-id-mismatch': "The map key is not the acceptance's agentId.",
  'not-a-party': 'The accepting agent is no party.',
  'accepts-other-terms': "The acceptance names another hash than the revision's.",
  'signature-missing': 'The method is ed25519, but there is no signature.',
  'signature-unexpected': 'There is a signature, but the method is not ed25519.',
  'method-without-signature':
    'Acceptances by this method carry no signature: only the platform vouches for them.',
  'key-missing': 'The key is not among the given ones.',
  'key-id-wrong': 'Another key than the named one made the signature.',
  'key-malformed': 'The given key is no Ed25519 public key in canonical spelling.',
  'key-unsafe-point':
    'The given key is non-canonical, of small order or not in the prime-order subgroup.',
  'signature-invalid': 'The signature does not verify.',
  'accepted-at-implausible': 'acceptedAt is more than 300 s from when it was recorded.',
  'key-not-yet-valid': 'The key was not yet valid when the signature was recorded.',
  'key-window-ended': 'The key had been replaced when the signature was recorded.',
  raced: 'The key had been revoked when the acceptance was recorded.',
  'recorded-moment-unknown':
    'The document does not tell on which side of a key change the acceptance was recorded.',

  // Attestations
  'attestation-missing': 'An accepted revision has no attestation.',
  'attestation-unexpected': 'A revision that is not accepted has an attestation.',
  'digest-mismatch': 'The digest is not the digest of the revision.',
  'key-purpose': 'The platform key has another purpose than attestation.',
  'key-revoked': 'The platform key had been revoked when the revision was accepted.',
  'log-position-needed':
    'The platform key has been revoked since; only the place in the log can tell which came first.',
} as const satisfies Record<string, string>;

export type Reason = keyof typeof REASONS;

export interface CheckResult {
  readonly result: Verdict;
  readonly check: CheckId;
  /**
   * What was checked: `interaction`, `revision 2`, `revision 2, agent-beta`. It can hold text of
   * the unverified document: escape it before showing it.
   */
  readonly subject: string;
  /** Null exactly when the result is `verified`. */
  readonly reason: Reason | null;
  /** More on this occurrence; unverified text like `subject`. */
  readonly detail: string | null;
}

/** What keeps a check from coming out as `verified`. */
export interface Flaw {
  readonly result: 'failed' | 'not-checkable';
  readonly reason: Reason;
  readonly detail: string | null;
}

export function failure(reason: Reason, detail: string | null = null): Flaw {
  return { result: 'failed', reason, detail };
}

/** `missing` names what would have been needed. */
export function gap(reason: Reason, missing: string | null = null): Flaw {
  return { result: 'not-checkable', reason, detail: missing };
}

/** The result of one check: verified unless it has a flaw. */
export function conclude(check: CheckId, subject: string, flaw: Flaw | undefined): CheckResult {
  return flaw === undefined
    ? { result: 'verified', check, subject, reason: null, detail: null }
    : { check, subject, ...flaw };
}

export interface Verification {
  /** One failure outweighs everything; something not checkable outweighs what is verified. */
  readonly result: Verdict;
  readonly checks: readonly CheckResult[];
}

export function summarize(checks: readonly CheckResult[]): Verification {
  const results = new Set(checks.map(({ result }) => result));
  const result = results.has('failed')
    ? 'failed'
    : results.has('not-checkable')
      ? 'not-checkable'
      : 'verified';
  return { result, checks };
}
