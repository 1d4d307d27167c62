import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HostedAgent } from '../../config/hosted-agents.js';
import { notesOf, traceparentOf } from '../../http/request-context.js';
import type { A2aRequest } from '../turns/agent-operations.js';

/** A request, and what the streams of it go on from. */
export interface Call extends A2aRequest {
  /** `Last-Event-ID`: the last event that the client has seen; undefined without the header. */
  readonly lastEventId: number | undefined;
}

/** A call, and what ends it. */
export interface OpenCall extends Call {
  /** Of `signal`. */
  readonly ends: AbortController;
}

/** @param extensions those that were activated */
export function callOf(
  request: FastifyRequest,
  reply: FastifyReply,
  agent: HostedAgent,
  extensions: ReadonlySet<string>,
): OpenCall {
  const ends = new AbortController();
  reply.raw.on('close', () => {
    if (!reply.raw.writableFinished) ends.abort();
  });
  const notes = notesOf(request);
  return {
    agent,
    caller: notes?.caller ?? null,
    extensions,
    correlationId: notes?.correlationId ?? request.id,
    traceparent: traceparentOf(request.headers),
    receivedAt: performance.now() - reply.elapsedTime,
    lastEventId: lastEventIdOf(request.headers['last-event-id']),
    signal: ends.signal,
    ends,
  };
}

const REVISION = /^(?:0|[1-9]\d{0,14})$/;

/** An id that no stream of this service gave is as none (HTML, section 9.2.4: servers may ignore it). */
function lastEventIdOf(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && REVISION.test(header) ? Number(header) : undefined;
}
