import type { FastifyReply } from 'fastify';
import type { Position } from '../event-store/port.js';
import { POSITION_TOKEN_HEADER } from './position-token.js';

/** What a write tells its caller besides the body. */
export interface WriteAnswer {
  /** Of the last event of the command, whenever it was recorded. */
  readonly position: Position;
  /** True when the events were recorded by an earlier request with the same command id. */
  readonly replayed: boolean;
  /** With its quotes. */
  readonly etag?: string;
  /** Path of a created resource; answers 201 instead of 200. */
  readonly location?: string;
}

/**
 * Sets status and headers of an answered write. The handler returns the body:
 * `writeAnswer(write.reply, {...}); return document;` with `@CurrentWrite() write`.
 */
export function writeAnswer(reply: FastifyReply, answer: WriteAnswer): void {
  reply.header(POSITION_TOKEN_HEADER, answer.position);
  if (answer.replayed) reply.header('idempotency-replayed', 'true');
  if (answer.etag !== undefined) reply.header('etag', answer.etag);
  if (answer.location === undefined) reply.code(200);
  else reply.code(201).header('location', answer.location);
}
