import type { FastifyInstance } from 'fastify';

/** Smaller answers fit into the buffers of a connection, and cost nothing to keep. */
const LARGE_ANSWER_BYTES = 64 * 1024;

/**
 * Ends the connection of a client that does not take a large answer in time: it is kept in memory
 * until the client has it. Streams have rules of their own.
 *
 * @param patienceMs how long all of an answer may take
 */
export function dropSlowReaders(fastify: FastifyInstance, patienceMs: number): void {
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    if (sizeOf(payload) > LARGE_ANSWER_BYTES) {
      const timer = setTimeout(() => reply.raw.destroy(), patienceMs).unref();
      reply.raw.once('close', () => {
        clearTimeout(timer);
      });
    }
    done();
  });
}

function sizeOf(payload: unknown): number {
  return typeof payload === 'string' || payload instanceof Uint8Array ? payload.length : 0;
}
