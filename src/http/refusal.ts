import { HttpException } from '@nestjs/common';
import { EventStoreUnavailable } from '../event-store/port.js';
import type { Rejection, RejectionCode } from '../kernel/rejection.js';
import { isDatabaseFault } from '../projections/read-database.js';
import { RejectionException } from './rejection-exception.js';

/** How whatever was thrown while a request was served is answered. */
export interface Refusal {
  readonly rejection: Rejection;
  readonly headers: Readonly<Record<string, string>>;
  /** True when the service failed, not the request: the error belongs in the log. */
  readonly isFault: boolean;
}

/** Of what the framework throws, only these words are taken; its messages are never passed on. */
const FRAMEWORK_CODES: ReadonlyMap<unknown, RejectionCode> = new Map<unknown, RejectionCode>([
  ['FST_ERR_CTP_BODY_TOO_LARGE', 'json-too-large'],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'media-type-unsupported'],
  ['FST_ERR_MAX_PARAM_LENGTH', 'not-found'],
]);

const STATUS_CODES: ReadonlyMap<number, RejectionCode> = new Map<number, RejectionCode>([
  [404, 'not-found'],
  [405, 'method-not-allowed'],
  [408, 'request-timeout'],
  [413, 'json-too-large'],
  [414, 'http-malformed'],
  [415, 'media-type-unsupported'],
  [431, 'headers-too-large'],
]);

/**
 * The one place where something thrown becomes an answer: refusals as they are, faults of the store
 * and of the views as 503, of what the framework throws only its code or status. Everything else is a
 * bug: `internal-error`, whose message never leaves the service.
 */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof RejectionException) {
    return { rejection: error.rejection, headers: error.headers, isFault: false };
  }
  if (error instanceof EventStoreUnavailable) return refuse('store-unavailable', true);
  // A damaged one is being rebuilt: to the caller that is a view which is behind.
  if (isDatabaseFault(error)) return refuse('projection-behind', true);
  const framework =
    error instanceof HttpException && error.cause !== undefined ? error.cause : error;
  const code = FRAMEWORK_CODES.get(member(framework, 'code'));
  if (code !== undefined) return refuse(code, false);
  const status = error instanceof HttpException ? error.getStatus() : fastifyStatus(error);
  if (status !== undefined && status >= 400 && status < 500) {
    return refuse(STATUS_CODES.get(status) ?? 'http-malformed', false);
  }
  return refuse('internal-error', true);
}

function refuse(code: RejectionCode, isFault: boolean): Refusal {
  return { rejection: { code }, headers: {}, isFault };
}

function fastifyStatus(error: unknown): number | undefined {
  const status = member(error, 'statusCode');
  return error instanceof Error && typeof status === 'number' ? status : undefined;
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
