import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

interface Waiting {
  readonly resolve: (answer: HttpAnswer) => void;
  readonly reject: (fault: Error) => void;
}

const HEAD_END = '\r\n\r\n';
const LENGTH = /^content-length: *(\d+)\r$/im;

/**
 * One connection to the service that posts JSON, one request at a time. It takes just the answers
 * that the service gives (a length, no chunks), for a third of what `node:http` costs: on two cores
 * whatever the clients use is missing to what they measure.
 */
export class KeptConnection {
  #received: Buffer = Buffer.alloc(0);
  #waiting: Waiting | undefined;

  private constructor(
    private readonly socket: Socket,
    private readonly host: string,
  ) {
    socket.setNoDelay(true);
    socket.on('data', (bytes: Buffer) => {
      this.#take(bytes);
    });
    socket.on('error', (fault) => {
      this.#end(fault);
    });
    socket.on('close', () => {
      this.#end(new Error('the service has closed the connection'));
    });
  }

  static async open(port: number): Promise<KeptConnection> {
    const socket = connect({ host: '127.0.0.1', port });
    await once(socket, 'connect');
    return new KeptConnection(socket, `127.0.0.1:${String(port)}`);
  }

  /**
   * @param token null for none
   * @param headers further lines, each with its end
   */
  post(path: string, token: string | null, body: string, headers = ''): Promise<HttpAnswer> {
    const authorization = token === null ? '' : `authorization: Bearer ${token}\r\n`;
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.socket.write(
        `POST ${path} HTTP/1.1\r\nhost: ${this.host}\r\n${authorization}${headers}` +
          'content-type: application/json\r\nconnection: keep-alive\r\n' +
          `content-length: ${String(Buffer.byteLength(body))}${HEAD_END}${body}`,
      );
    });
  }

  close(): void {
    this.socket.destroy();
  }

  #take(bytes: Buffer): void {
    this.#received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes]);
    const headEnd = this.#received.indexOf(HEAD_END);
    if (headEnd === -1) return;
    const head = this.#received.toString('latin1', 0, headEnd + 2);
    const length = LENGTH.exec(head)?.[1];
    if (length === undefined) {
      this.#end(new Error(`an answer without a length: ${head}`));
      return;
    }
    const start = headEnd + HEAD_END.length;
    const end = start + Number(length);
    if (this.#received.length < end) return;
    const answer = {
      status: Number(head.slice(9, 12)),
      text: this.#received.toString('utf8', start, end),
    };
    this.#received = this.#received.subarray(end);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(answer);
  }

  #end(fault: Error): void {
    this.#waiting?.reject(fault);
    this.#waiting = undefined;
  }
}
