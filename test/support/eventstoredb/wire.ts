import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** The network between a client and a node: it can be cut, and the node can be out of reach. */
export class Wire {
  static async open(target: number, port = 0): Promise<Wire> {
    const wire = new Wire(target);
    await wire.#listen(port);
    return wire;
  }

  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #port = 0;

  private constructor(target: number) {
    this.#server = createServer((client) => {
      const node = connect(target, '127.0.0.1');
      for (const [socket, other] of [
        [client, node],
        [node, client],
      ] as const) {
        this.#sockets.add(socket);
        socket.setNoDelay(true);
        socket.pipe(other);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          this.#sockets.delete(socket);
          other.destroy();
        });
      }
    });
  }

  get port(): number {
    return this.#port;
  }

  /** Every connection is lost; new ones may be made at once. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Nothing arrives on either side, and nobody is told. */
  stall(): () => void {
    const stalled = [...this.#sockets];
    for (const socket of stalled) socket.pause();
    return () => {
      for (const socket of stalled) socket.resume();
    };
  }

  /** Out of reach, until the answer is called. */
  async block(): Promise<() => Promise<void>> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.cut();
    await closed;
    return () => this.#listen(this.#port);
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    await this.block();
  }

  async #listen(port: number): Promise<void> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }
}
