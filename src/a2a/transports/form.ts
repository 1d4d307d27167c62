import type { FastifyReply, FastifyRequest } from 'fastify';
import { bare, type FramedJson } from '../../http/framed-json.js';
import { notesOf } from '../../http/request-context.js';
import type { StreamResponse } from '../wire/types.js';
import { failureOfThrown, type Failure } from './failure.js';

/** How a binding writes what both say. */
export interface Form {
  readonly contentType: string;
  result(value: object): FramedJson;
  event(response: StreamResponse): FramedJson;
  failure(failure: Failure): { readonly status: number; readonly body: string };
  /** Type of the event that ends a stream with a failure, undefined for an ordinary one. */
  readonly failureEvent: string | undefined;
}

/** A task stands alone, so that all who are sent the same one are sent one text. */
export function framedResponse(response: StreamResponse): FramedJson {
  return 'task' in response
    ? { before: '{"task":', value: response.task, after: '}' }
    : bare(response);
}

/** Renders what was thrown; nothing when an answer is under way, which cannot be taken back. */
export function sendThrown(
  request: FastifyRequest,
  reply: FastifyReply,
  form: Form,
  error: unknown,
): void {
  const failure = failureOfThrown(error, notesOf(request)?.correlationId ?? request.id);
  if (reply.sent || reply.raw.headersSent) return;
  sendFailure(reply, form, failure);
}

export function sendFailure(reply: FastifyReply, form: Form, failure: Failure): void {
  const { status, body } = form.failure(failure);
  void reply
    .code(status)
    .headers({ ...failure.headers, 'content-type': 'application/json; charset=utf-8' })
    .send(body);
}
