import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** How long a connection is kept for a next request once the server closes, in milliseconds. */
const CLOSING_KEEP_ALIVE_MS = 1;

/**
 * When the server closes, ends the connections that nobody asks for anything on, so that only
 * requests under way are waited for. By itself node ends those that are idle at that moment, but
 * neither those on which nothing was ever sent (clients open them in advance), nor those that become
 * idle later.
 */
export function endUnusedConnections(fastify: FastifyInstance): void {
  const { server } = fastify;
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  fastify.addHook('preClose', (done) => {
    server.keepAliveTimeout = CLOSING_KEEP_ALIVE_MS;
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    done();
  });
}
