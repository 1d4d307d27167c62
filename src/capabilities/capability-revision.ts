import type { Rejection } from '../kernel/rejection.js';
import { err, ok, type Result } from '../kernel/result.js';

/** The strong entity tag (RFC 9110 section 8.8.3) of a capability: its quoted revision. */
export function capabilityEtag(revision: number): string {
  return `"${String(revision)}"`;
}

/** The revision that a change was written against, and where the request named it. */
export interface NamedRevision {
  readonly revision: number;
  readonly by: 'member' | 'if-match';
}

/**
 * The revision from `expectedRevision` or from `If-Match`; both must agree when both are given.
 * Refuses with `expected-revision-required` (neither) and `request-invalid` (a list, `*` and weak
 * tags name no single revision; or they disagree).
 */
export function namedRevision(
  expected: number | undefined,
  ifMatch: string | null,
): Result<NamedRevision, Rejection> {
  if (ifMatch === null) {
    return expected === undefined
      ? err({ code: 'expected-revision-required' })
      : ok({ revision: expected, by: 'member' });
  }
  const [, digits] = /^"(0|[1-9]\d{0,9})"$/.exec(ifMatch) ?? [];
  if (digits === undefined) {
    const detail = 'If-Match must be one ETag of the capability, as a read answered it.';
    return err({ code: 'request-invalid', detail });
  }
  const revision = Number(digits);
  if (expected !== undefined && expected !== revision) {
    const detail = 'names another revision than If-Match';
    return err({ code: 'request-invalid', faults: [{ pointer: '/expectedRevision', detail }] });
  }
  return ok({ revision, by: 'if-match' });
}

/** `capability-changed` is HTTP's `precondition-failed` when the revision came from `If-Match`. */
export function inTermsOf(by: NamedRevision['by'], rejection: Rejection): Rejection {
  return by === 'if-match' && rejection.code === 'capability-changed'
    ? { ...rejection, code: 'precondition-failed' }
    : rejection;
}
