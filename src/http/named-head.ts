import { sameHead, type Head, type Rejection } from '../kernel/rejection.js';
import { err, ok, type Result } from '../kernel/result.js';
import { parseIfMatch } from './etag.js';

/** The head that a command was written against, and where the request named it. */
export interface NamedHead {
  readonly head: Head;
  readonly by: 'body' | 'if-match';
}

/**
 * The head from the body's member `head` or from `If-Match`; both must agree when both are given.
 * Refuses with `head-required` (neither), `request-invalid` (unreadable tag, or they disagree).
 */
export function namedHead(
  bodyHead: Head | undefined,
  ifMatch: string | null,
): Result<NamedHead, Rejection> {
  if (ifMatch === null) {
    return bodyHead === undefined
      ? err({ code: 'head-required' })
      : ok({ head: bodyHead, by: 'body' });
  }
  const parsed = parseIfMatch(ifMatch);
  if (!parsed.ok) return parsed;
  const head = parsed.value;
  if (bodyHead !== undefined && !sameHead(bodyHead, head)) {
    return err({
      code: 'request-invalid',
      faults: [{ pointer: '/head', detail: 'names another head than If-Match' }],
    });
  }
  return ok({ head, by: 'if-match' });
}

/** `head-changed` is HTTP's `precondition-failed` when the head came from `If-Match`. */
export function inTermsOf(by: NamedHead['by'], rejection: Rejection): Rejection {
  return by === 'if-match' && rejection.code === 'head-changed'
    ? { ...rejection, code: 'precondition-failed' }
    : rejection;
}
