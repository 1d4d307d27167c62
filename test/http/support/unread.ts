import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** More than the system itself takes over from one connection that nobody reads. */
export const UNREAD_BYTES = 12 * 1024 * 1024;

/** Clients that ask, and read only what a test says. */
export class UnreadClients {
  readonly #sockets: Socket[] = [];

  /** @param url of the server, once it listens */
  constructor(private readonly url: () => string) {}

  /** Asks on a connection of its own, and reads nothing. */
  async ask(path: string, headers: readonly string[] = [], times = 1): Promise<Socket> {
    const { hostname, port } = new URL(this.url());
    const socket = connect(Number(port), hostname).pause();
    socket.on('error', () => undefined);
    this.#sockets.push(socket);
    await once(socket, 'connect');
    socket.write(
      [`GET ${path} HTTP/1.1`, 'host: x', ...headers, '', ''].join('\r\n').repeat(times),
    );
    return socket;
  }

  leave(): void {
    for (const socket of this.#sockets.splice(0)) socket.destroy();
  }
}

/** Listens on a port of the system's choice; gives the base address. */
export async function listen(server: FastifyInstance): Promise<string> {
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as AddressInfo;
  return `http://127.0.0.1:${String(port)}`;
}

/** How many connections a server has. */
export function connectionsOf({ server }: FastifyInstance): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => {
      if (error === null) resolve(count);
      else reject(error);
    });
  });
}
