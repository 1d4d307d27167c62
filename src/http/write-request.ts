import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requestContextOf, type RequestContext } from './request-context.js';

/** An HTTP request that changes something, and the reply that it gets. */
export interface WriteRequest {
  readonly request: RequestContext;
  readonly reply: FastifyReply;
  /** The body as parsed: what a retry is recognised by. */
  readonly raw: unknown;
}

/**
 * Parameter decorator of controllers: `change(@Body() body: ChangeBody, @CurrentWrite() write: WriteRequest)`.
 * Refuses as `CurrentRequest` does.
 */
export const CurrentWrite = createParamDecorator(
  (_: unknown, execution: ExecutionContext): WriteRequest => {
    const http = execution.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    return { request: requestContextOf(request), reply, raw: request.body };
  },
);
