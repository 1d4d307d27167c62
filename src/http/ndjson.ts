import type { FastifyReply } from 'fastify';
import { drained } from './drained.js';

export const NDJSON = 'application/x-ndjson';

/**
 * Answers with lines of JSON as they come, each batch asked for only when the client has room for it.
 * An answer that is not cut ends as HTTP says (the last chunk of RFC 9112 section 7.1, or its equal);
 * whatever cuts it short resets the connection instead, so that no client takes a part for the whole.
 *
 * @param batches texts of one or more whole lines; must end when the signal aborts
 * @param signal aborted when the answer is to be cut
 * @param stallMs a client that takes nothing for so long is cut off
 * @throws what `batches` threw, after the connection is broken
 */
export async function sendLines(
  reply: FastifyReply,
  batches: AsyncIterable<string>,
  signal: AbortSignal,
  stallMs: number,
): Promise<void> {
  reply.header('content-type', `${NDJSON}; charset=utf-8`);
  reply.header('cache-control', 'no-store, no-transform');
  const response = reply.raw;
  reply.hijack();
  response.writeHead(200, reply.getHeaders() as Record<string, string>);
  response.flushHeaders();
  let isWhole = false;
  try {
    for await (const lines of batches) {
      if (signal.aborted) return;
      if (lines !== '' && !response.write(lines)) await drained(response, signal, stallMs);
    }
    isWhole = !signal.aborted;
  } finally {
    if (isWhole) response.end();
    // With a reset, since to a proxy that speaks HTTP/1.0 any other end of a connection is one of the answer.
    else response.socket?.resetAndDestroy();
  }
}
