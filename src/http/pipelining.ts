import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Serves the requests of a connection one after the other: by itself node begins each as it comes
 * (RFC 9112 section 9.3.2), and keeps all their answers until the first is taken. A connection on
 * which more wait is ended. Must be registered before every other hook.
 *
 * @param maxWaiting how many requests may wait behind the one that is served
 */
export function serveInTurn(fastify: FastifyInstance, maxWaiting: number): void {
  const waiting = new WeakMap<Socket, number>();
  fastify.addHook('onRequest', (request, reply, done) => {
    const response = reply.raw;
    // A response gets the connection when the one before it is sent.
    if (response.socket !== null) {
      done();
      return;
    }
    const { socket } = request.raw;
    const count = waiting.get(socket) ?? 0;
    if (count >= maxWaiting) {
      socket.destroy();
      return;
    }
    waiting.set(socket, count + 1);
    response.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
      // The one before it also ends when the client is gone, and then nobody waits for this one.
      if (socket.writable) done();
    });
  });
}
