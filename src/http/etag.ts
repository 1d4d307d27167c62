import type { InteractionStatus, RevisionStatus } from '../kernel/federated-interaction.js';
import { parseTermsHash } from '../kernel/ids.js';
import type { Head, Rejection } from '../kernel/rejection.js';
import { err, ok, type Result } from '../kernel/result.js';

const STATUSES: ReadonlySet<string> = new Set<RevisionStatus>([
  'proposed',
  'accepted',
  'rejected',
  'superseded',
]);

const TAG =
  /^"(?:0|[1-9]\d{0,9})\.[a-z]{1,20}\.([1-9]\d{0,9})\.([a-z]{1,20})\.([A-Za-z0-9_-]{43})"$/;

/** What an interaction document is told by from every other of its interaction. */
export interface Tagged {
  /** Number of events folded, one more when expiry is computed but not yet recorded. */
  readonly version: number;
  /** Tells an expiry that is computed from any other event that may be recorded in its place. */
  readonly status: InteractionStatus;
}

/**
 * The strong entity tag (RFC 9110 section 8.8.3) of an interaction document:
 * `"<version>.<status>.<revision>.<status of the revision>.<termsHash>"`.
 */
export function interactionEtag({ version, status }: Tagged, head: Head): string {
  const { revision, status: standing, termsHash } = head;
  return `"${[version, status, revision, standing, termsHash].join('.')}"`;
}

/**
 * The head that an `If-Match` names. Commands look at nothing else in the tag: the version and
 * the interaction's status count only for caches. A list, `*` and weak tags name no single head.
 *
 * Refuses with `request-invalid`.
 */
export function parseIfMatch(text: string): Result<Head, Rejection> {
  const [, revision, status = '', hashText = ''] = TAG.exec(text) ?? [];
  const termsHash = parseTermsHash(hashText);
  if (revision === undefined || !STATUSES.has(status) || termsHash === undefined) {
    return err({
      code: 'request-invalid',
      detail: 'If-Match must be one ETag of the interaction, as a read answered it.',
    });
  }
  return ok({ revision: Number(revision), status: status as RevisionStatus, termsHash });
}

/** True when a conditional GET may be answered 304: the weak comparison of RFC 9110 section 13.1.2. */
export function matchesIfNoneMatch(header: string | null, etag: string): boolean {
  if (header === null) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
