import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** Node tells it of every socket that a client of this process opens. */
const CHANNEL = 'net.client.socket';

/** The network of this process, as far as it is opened by its clients: it can be taken away. */
export class ClientNetwork {
  readonly #sockets = new Set<Socket>();
  #isDown = false;
  readonly #note = (message: unknown): void => {
    const { socket } = message as { socket: Socket };
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    if (this.#isDown) setImmediate(() => socket.destroy(new Error('the network is away')));
  };

  constructor() {
    subscribe(CHANNEL, this.#note);
  }

  /** Cuts every connection and lets none be made, until the answer is called. */
  takeAway(): () => void {
    this.#isDown = true;
    for (const socket of this.#sockets) socket.destroy(new Error('the network is away'));
    return () => {
      this.#isDown = false;
    };
  }

  close(): void {
    unsubscribe(CHANNEL, this.#note);
  }
}
