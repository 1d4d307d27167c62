import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RejectionCode } from '../kernel/rejection.js';
import { CORRELATION_HEADER } from './correlation.js';
import { problemOf, PROBLEM_MEDIA_TYPE } from './problem.js';
import { REJECTION_STATUS } from './rejection-status.js';

/** How long a connection is kept for its client to read why it ends, in milliseconds. */
const LINGER_MS = 1_000;

/**
 * Answers bytes that never became a request: HTTP that does not parse, header fields beyond the
 * limit, a request that takes too long. There is no reply object yet, so the answer is written by
 * hand, and the connection ends. Behind an answer that has begun it would be read as part of that.
 */
export function answerClientError(
  error: NodeJS.ErrnoException,
  socket: Socket,
  publicBaseUrl: string,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  endWith(problemText(codeOf(error), publicBaseUrl), socket);
}

/**
 * Refuses with `method-not-allowed` whoever asks for a tunnel (CONNECT, RFC 9110 section 9.3.6): node
 * makes no reply for that either, and would end the connection without a word.
 */
export function answerTunnels(server: Server, publicBaseUrl: string): void {
  server.on('connect', (_request, socket: Socket) => {
    // It is not the server's any more.
    socket.on('error', () => socket.destroy());
    if (isAnswering(socket)) {
      socket.destroy();
      return;
    }
    // The field has to be there, and no method is allowed.
    endWith(problemText('method-not-allowed', publicBaseUrl, ['allow: ']), socket);
    socket.resume();
  });
}

/** What has the connection is told nowhere else than where node itself looks for it. */
function isAnswering(socket: Socket): boolean {
  return (socket as { _httpMessage?: ServerResponse | null })._httpMessage?.headersSent === true;
}

/**
 * Whoever still sends must not miss the answer for a reset (RFC 9112 section 9.6), and whoever keeps its
 * side open must not keep the connection.
 */
function endWith(answer: string, socket: Socket): void {
  socket.end(answer);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => {
    clearTimeout(timer);
  });
}

/** A whole answer, after which the connection ends. */
function problemText(
  code: RejectionCode,
  publicBaseUrl: string,
  fields: readonly string[] = [],
): string {
  const correlationId = randomUUID();
  const { status } = REJECTION_STATUS[code];
  const body = JSON.stringify(problemOf({ code }, { publicBaseUrl, instance: '', correlationId }));
  return [
    `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}`,
    `content-type: ${PROBLEM_MEDIA_TYPE}`,
    `content-length: ${String(Buffer.byteLength(body))}`,
    `${CORRELATION_HEADER}: ${correlationId}`,
    'x-content-type-options: nosniff',
    'cache-control: no-store',
    'connection: close',
    ...fields,
    '',
    body,
  ].join('\r\n');
}

function codeOf(error: NodeJS.ErrnoException): RejectionCode {
  if (error.code === 'HPE_HEADER_OVERFLOW') return 'headers-too-large';
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request-timeout';
  return 'http-malformed';
}
