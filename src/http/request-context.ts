import type { IncomingHttpHeaders } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Position } from '../event-store/port.js';
import type { Caller } from '../kernel/caller.js';
import { err, type Result } from '../kernel/result.js';
import type { Rejection } from '../kernel/rejection.js';
import { isRead } from './access.js';
import { parseIdempotencyKey } from './idempotency-key.js';
import { RejectionException, orReject } from './rejection-exception.js';

/**
 * What the edge knows of an authenticated request besides its target and body. Everything in it is
 * checked, so handlers trust the types.
 */
export interface RequestContext {
  /** Whoever calls, as the access token says. */
  readonly caller: Caller;
  /** A UUID: `X-Correlation-Id` as sent, or one of the service's own. */
  readonly correlationId: string;
  /** W3C Trace Context `traceparent`, null when absent or malformed. */
  readonly traceparent: string | null;
  /** `Idempotency-Key`, null when absent and for reads: 1 to 255 printable ASCII characters. */
  readonly idempotencyKey: string | null;
  /** `If-Match` as sent, null when absent: see `named-head.ts`. */
  readonly ifMatch: string | null;
  /** `If-None-Match` as sent, null when absent: see `etag.ts`. */
  readonly ifNoneMatch: string | null;
  /** `Position-Token` of a read, which has waited for it; null when absent, and for writes. */
  readonly positionToken: Position | null;
}

/**
 * The edge's notes on a Fastify request, made before the body is read. `caller` is undefined on
 * public routes only.
 */
export interface RequestNotes {
  readonly correlationId: string;
  caller: Caller | undefined;
  /** What the log was waited for to hold; null where nothing was, or not yet. */
  positionToken: Position | null;
}

const NOTES = Symbol('request notes');

interface Annotated {
  [NOTES]?: RequestNotes;
}

export function annotate(request: FastifyRequest, notes: RequestNotes): void {
  (request as Annotated)[NOTES] = notes;
}

/** Undefined only for requests that failed before the first hook ran. */
export function notesOf(request: FastifyRequest): RequestNotes | undefined {
  return (request as Annotated)[NOTES];
}

/**
 * Parameter decorator of controllers: `handle(@CurrentRequest() request: RequestContext)`.
 * Refuses with `idempotency-key-invalid` and, on a public route, `token-missing`.
 */
export const CurrentRequest = createParamDecorator(
  (_: unknown, execution: ExecutionContext): RequestContext =>
    requestContextOf(execution.switchToHttp().getRequest<FastifyRequest>()),
);

/** Refuses as {@link CurrentRequest} does. */
export function requestContextOf(request: FastifyRequest): RequestContext {
  const notes = notesOf(request);
  if (notes?.caller === undefined) throw new RejectionException({ code: 'token-missing' });
  const headers = request.headers;
  return {
    caller: notes.caller,
    correlationId: notes.correlationId,
    traceparent: traceparentOf(headers),
    // A read is the same however often it is sent.
    idempotencyKey: isRead(request.method)
      ? null
      : orReject(optional(headers['idempotency-key'], parseIdempotencyKey)),
    ifMatch: headers['if-match'] ?? null,
    ifNoneMatch: headers['if-none-match'] ?? null,
    positionToken: notes.positionToken,
  };
}

function optional<T>(
  header: string | string[] | undefined,
  parse: (text: string) => Result<T, Rejection>,
): Result<T | null, Rejection> {
  if (header === undefined) return { ok: true, value: null };
  if (typeof header !== 'string') return err({ code: 'request-invalid' });
  return parse(header);
}

const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** A malformed one is dropped, as W3C Trace Context section 3.2 asks, not refused. */
export function traceparentOf(headers: IncomingHttpHeaders): string | null {
  const header = headers['traceparent'];
  return typeof header === 'string' && TRACEPARENT.test(header) ? header : null;
}
