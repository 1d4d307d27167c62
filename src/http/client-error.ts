import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { RejectionCode } from '../kernel/rejection.js';
import { CORRELATION_HEADER } from './correlation.js';
import { problemOf, PROBLEM_MEDIA_TYPE } from './problem.js';
import { REJECTION_STATUS } from './rejection-status.js';

/**
 * Answers bytes that never became a request: HTTP that does not parse, header fields beyond the
 * limit, a request that takes too long. There is no reply object yet, so the answer is written by
 * hand, and the connection ends.
 */
export function answerClientError(
  error: NodeJS.ErrnoException,
  socket: Socket,
  publicBaseUrl: string,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket.destroyed) {
    socket.destroy();
    return;
  }
  const code = codeOf(error);
  const correlationId = randomUUID();
  const { status } = REJECTION_STATUS[code];
  const body = JSON.stringify(problemOf({ code }, { publicBaseUrl, instance: '', correlationId }));
  socket.end(
    [
      `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}`,
      `content-type: ${PROBLEM_MEDIA_TYPE}`,
      `content-length: ${String(Buffer.byteLength(body))}`,
      `${CORRELATION_HEADER}: ${correlationId}`,
      'x-content-type-options: nosniff',
      'cache-control: no-store',
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

function codeOf(error: NodeJS.ErrnoException): RejectionCode {
  if (error.code === 'HPE_HEADER_OVERFLOW') return 'headers-too-large';
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request-timeout';
  return 'http-malformed';
}
