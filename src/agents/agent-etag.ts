import type { Rejection } from '../kernel/rejection.js';
import { err, ok, type Result } from '../kernel/result.js';

/** The strong entity tag (RFC 9110 section 8.8.3) of an agent: its quoted revision. */
export function agentEtag(revision: number): string {
  return `"${String(revision)}"`;
}

/**
 * A change names its revision in the body, where it is signed; an `If-Match` beside it must name the
 * same one. Refuses with `request-invalid`.
 */
export function agreeingRevision(
  expectedRevision: number,
  ifMatch: string | null,
): Result<undefined, Rejection> {
  if (ifMatch === null || ifMatch === agentEtag(expectedRevision)) return ok(undefined);
  return err({
    code: 'request-invalid',
    faults: [{ pointer: '/expectedRevision', detail: 'names another revision than If-Match' }],
  });
}
