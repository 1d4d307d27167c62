import type { JsonObject } from '../kernel/json.js';
import type { Fault, Head, Rejection } from '../kernel/rejection.js';
import { REJECTION_STATUS } from './rejection-status.js';
import { WORDS } from './rejection-words.js';

/** Media type of every refusal (RFC 9457). */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** A problem document (RFC 9457 section 3.1) with the service's extension members. */
export interface Problem {
  /** `<publicBaseUrl>/problems/<code>`: the service documents the code there. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** The path of the request, without its query. */
  readonly instance: string;
  readonly code: string;
  /** Also in `X-Correlation-Id`; faults of the service are logged under it. */
  readonly correlationId: string;
  readonly errors?: readonly Fault[];
  /** Where the interaction stands now. */
  readonly head?: Head;
  /** What is left of an erased document: identifiers, hashes, signatures and times. */
  readonly remains?: JsonObject;
}

/** What a problem says about the request, besides the refusal itself. */
export interface Occurrence {
  /** Without a trailing slash. */
  readonly publicBaseUrl: string;
  readonly instance: string;
  readonly correlationId: string;
}

export function problemOf(rejection: Rejection, occurrence: Occurrence): Problem {
  const { status, title } = REJECTION_STATUS[rejection.code];
  return {
    type: `${occurrence.publicBaseUrl}/problems/${rejection.code}`,
    title,
    status,
    detail: rejection.detail ?? WORDS[rejection.code],
    instance: occurrence.instance,
    code: rejection.code,
    correlationId: occurrence.correlationId,
    ...(rejection.faults === undefined ? {} : { errors: rejection.faults }),
    ...(rejection.head === undefined ? {} : { head: rejection.head }),
    ...(rejection.remains === undefined ? {} : { remains: rejection.remains }),
  };
}
