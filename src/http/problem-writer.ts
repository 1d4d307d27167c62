import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Rejection } from '../kernel/rejection.js';
import { CORRELATION_HEADER, correlationIdOf } from './correlation.js';
import { logFault } from './fault-log.js';
import type { MethodTable } from './method-table.js';
import { problemOf, PROBLEM_MEDIA_TYPE } from './problem.js';
import { refusalOf } from './refusal.js';
import { REJECTION_STATUS, retryAfterSeconds } from './rejection-status.js';
import { notesOf } from './request-context.js';

/** Answers whatever went wrong with a request as `application/problem+json` (RFC 9457). */
export class ProblemWriter {
  constructor(
    private readonly publicBaseUrl: string,
    private readonly methods: MethodTable,
  ) {}

  write(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const correlationId = notesOf(request)?.correlationId ?? correlationIdOf(request.headers);
    const { rejection, headers, isFault } = refusalOf(error);
    // Whoever leaves is no fault of the service, and hears no answer.
    if (request.raw.socket.destroyed && isEndOfClient(error)) return;
    if (isFault) logFault(error, correlationId);
    // An answer under way cannot be taken back; the fault is in the log.
    if (reply.sent || reply.raw.headersSent) return;
    const path = pathOf(request);
    const refined = this.#methodNotAllowed(rejection, path, reply);
    const retryAfter = retryAfterSeconds(refined.code);
    if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
    const problem = problemOf(refined, {
      publicBaseUrl: this.publicBaseUrl,
      instance: path,
      correlationId,
    });
    void reply
      .code(REJECTION_STATUS[refined.code].status)
      .headers({
        ...headers,
        [CORRELATION_HEADER]: correlationId,
        'content-type': PROBLEM_MEDIA_TYPE,
      })
      .send(JSON.stringify(problem));
  }

  /** The router knows only "no such route": an address of another method is told apart here. */
  #methodNotAllowed(rejection: Rejection, path: string, reply: FastifyReply): Rejection {
    if (rejection.code !== 'not-found' || rejection.detail !== undefined) return rejection;
    const allowed = this.methods.allowed(path);
    if (allowed.length === 0 || allowed.includes(reply.request.method)) return rejection;
    reply.header('allow', allowed.join(', '));
    return { ...rejection, code: 'method-not-allowed' };
  }
}

/** What the source of an answer's pieces fails with once they have nowhere to go. */
function isEndOfClient(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === 'ERR_STREAM_PREMATURE_CLOSE';
}

function pathOf(request: FastifyRequest): string {
  const url = request.raw.url ?? '';
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}
