import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Rejection } from '../kernel/rejection.js';
import { RejectionException } from './rejection-exception.js';

/**
 * Refuses with `http-malformed` what node would otherwise refuse by itself, without a problem document:
 * a request of HTTP/1.1 that names no host, or several (RFC 9112 section 3.2), and one that expects
 * anything but to be told to go on (RFC 9110 section 10.1.1).
 */
export function refuseForm({ raw }: FastifyRequest): void {
  if (raw.httpVersion !== '1.1') return;
  if (countOf('host', raw) !== 1) {
    throw malformed('A request of HTTP/1.1 has exactly one Host header field.');
  }
  const { expect } = raw.headers;
  if (expect !== undefined && !CONTINUE.test(expect)) {
    throw malformed('Of all expectations (Expect) only 100-continue is met.');
  }
}

/** As node finds it, which tells such clients to go on. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

/** Of the lines of one header field, of which `headers` keeps the first where there may be only one. */
function countOf(name: string, { rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const field = rawHeaders[index] ?? '';
    if (field.length === name.length && field.toLowerCase() === name) count += 1;
  }
  return count;
}

function malformed(detail: string): RejectionException {
  const rejection: Rejection = { code: 'http-malformed', detail };
  return new RejectionException(rejection);
}
