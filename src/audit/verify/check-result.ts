import type { Reason } from './reasons.js';

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
  | 'attestation'
  | 'envelope'
  | 'stream-order'
  | 'event-data'
  | 'based-on'
  | 'texts'
  | 'transition'
  | 'act'
  | 'key-proof'
  | 'change'
  | 'platform-key'
  | 'checkpoint'
  | 'witness'
  | 'consistency'
  | 'inclusion'
  | 'stream'
  | 'document';

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

/** Of two looks at one thing: what the first finds wrong is said first, and what it cannot tell last. */
export function outweighing(first: Flaw | undefined, second: Flaw | undefined): Flaw | undefined {
  return first?.result === 'failed' ? first : (second ?? first);
}
