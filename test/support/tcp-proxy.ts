import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A way to a server that can be cut. */
export class TcpProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isDown = false;
  /** Bytes that still pass from the server before everything is cut. */
  #budget = Infinity;
  readonly #frozen = new Set<Socket>();

  private constructor(
    private readonly host: string,
    private readonly port: number,
  ) {
    this.#server = createServer((client) => {
      this.#pass(client);
    });
  }

  /** In front of the server that a URL names. */
  static async to(url: string): Promise<TcpProxy> {
    const { hostname, port } = new URL(url);
    const proxy = new TcpProxy(hostname, Number(port === '' ? '5432' : port));
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  /** The same URL, by way of the proxy. */
  through(url: string): string {
    const way = new URL(url);
    way.hostname = '127.0.0.1';
    way.port = String((this.#server.address() as AddressInfo).port);
    return way.href;
  }

  /** Connections break and no new one is taken, until {@link up}. */
  down(): void {
    this.#isDown = true;
    this.cut();
  }

  up(): void {
    this.#isDown = false;
  }

  /** Breaks every connection that there is. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
    this.#sockets.clear();
  }

  /** What is answered from now on is lost, and the connections break when there is something. */
  cutAnswers(): void {
    this.#budget = 0;
  }

  /** Connections stay, and nothing passes on those that there are, as behind a dead router. */
  freeze(): void {
    for (const socket of this.#sockets) this.#frozen.add(socket);
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #pass(client: Socket): void {
    if (this.#isDown) {
      client.resetAndDestroy();
      return;
    }
    const server = connect(this.port, this.host);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.setNoDelay(true);
      this.#sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      from.on('data', (chunk) => {
        if (this.#frozen.has(from)) return;
        if (from === server && this.#budget < chunk.length) {
          this.#budget = Infinity;
          this.cut();
          return;
        }
        to.write(chunk);
      });
    }
  }
}
