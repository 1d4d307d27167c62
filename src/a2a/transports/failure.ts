import { logFault } from '../../http/fault-log.js';
import { refusalOf } from '../../http/refusal.js';
import { REJECTION_STATUS, retryAfterSeconds } from '../../http/rejection-status.js';
import { REJECTIONS, type Rejection, type RejectionCode } from '../../kernel/rejection.js';
import { badRequest, detailsOf, ownErrorInfo, type ErrorDetails } from '../wire/error-details.js';
import { A2A_ERRORS, type A2aRefusal } from '../wire/refusal.js';
import { REJECTION_ERRORS, type NamedError, type StatusName } from './rejection-errors.js';

/** An error as both bindings show it: each only renders. */
export interface Failure {
  /** Of HTTP+JSON. */
  readonly http: number;
  /**
   * Of JSON-RPC: 200 for what JSON-RPC itself can say, the true status for what was refused before
   * it, so that proxies and clients see it.
   */
  readonly rpcHttp: number;
  /** JSON-RPC's `error.code`. */
  readonly code: number;
  /** A name of `google.rpc.Code`. */
  readonly status: string;
  readonly message: string;
  readonly details: ErrorDetails;
  readonly headers: Readonly<Record<string, string>>;
}

export function failureOf(refusal: A2aRefusal): Failure {
  const { rpc, http, status } = A2A_ERRORS[refusal.error];
  const details = detailsOf(refusal);
  const retryAfter = refusal.retryAfterSeconds ?? (http === 503 ? 1 : undefined);
  const headers: Failure['headers'] =
    retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return { http, rpcHttp: 200, code: rpc, status, message: refusal.detail, details, headers };
}

/**
 * Whatever was thrown on the way to an answer: refusals of the edge in A2A's form, faults logged
 * under the correlation id and said to be no more than that.
 */
export function failureOfThrown(error: unknown, correlationId: string): Failure {
  const { rejection, headers, isFault } = refusalOf(error);
  if (isFault) logFault(error, correlationId);
  const { http, code, status } = formOf(rejection.code);
  const retryAfter = retryAfterSeconds(rejection.code);
  return {
    http,
    rpcHttp: READABLE.has(code) ? 200 : REJECTION_STATUS[rejection.code].status,
    code,
    status,
    message: detailOf(rejection),
    details: detailsOfRejection(rejection, isFault ? correlationId : undefined),
    headers: {
      ...headers,
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    },
  };
}

/** Said of a body: the HTTP exchange itself was in order. */
const READABLE: ReadonlySet<number> = new Set<number>([
  A2A_ERRORS.ParseError.rpc,
  A2A_ERRORS.InvalidRequest.rpc,
]);

/** JSON-RPC 2.0 leaves it to servers; A2A's own codes begin below it. */
const SERVER_ERROR = -32000;

function formOf(code: RejectionCode): { http: number; code: number; status: string } {
  const word = REJECTION_ERRORS[code];
  if (isNamed(word)) {
    const { http, rpc, status } = A2A_ERRORS[word];
    return { http, code: rpc, status };
  }
  const http = REJECTION_STATUS[code].status;
  return { http, code: http >= 500 ? A2A_ERRORS.Internal.rpc : SERVER_ERROR, status: word };
}

function isNamed(word: NamedError | StatusName): word is NamedError {
  return word in A2A_ERRORS;
}

/** The catalogue, with this transport's own limits. */
const WORDS: Readonly<Record<RejectionCode, string>> = {
  ...REJECTIONS,
  'json-too-large': 'The request is larger than 4 MiB.',
  'media-type-unsupported': 'Requests are application/json or application/a2a+json, in UTF-8.',
};

function detailOf({ code, detail }: Rejection): string {
  return detail ?? WORDS[code];
}

function detailsOfRejection(
  { code, faults }: Rejection,
  correlationId: string | undefined,
): ErrorDetails {
  const word = REJECTION_ERRORS[code];
  const metadata = correlationId === undefined ? undefined : { correlationId };
  if (word === 'ContentTypeNotSupported') return detailsOf({ error: word, detail: '', code });
  const info = ownErrorInfo(code, metadata);
  return faults === undefined ? [info] : [info, badRequest(faults)];
}
