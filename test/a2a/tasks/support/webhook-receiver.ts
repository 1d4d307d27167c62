import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** What it answers: a status, with headers; `never` keeps the connection open without a word. */
export type Answer =
  | number
  | 'never'
  | { readonly status: number; readonly headers: Record<string, string>; readonly body?: string };

/** A webhook on 127.0.0.1 that writes down what it is told. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  /** Posts under way at once, at the most. */
  most = 0;
  #underWay = 0;

  private constructor(
    private readonly server: Server,
    private readonly answer: (received: Received, count: number) => Answer | Promise<Answer>,
  ) {
    server.on('request', (request, response) => {
      this.#underWay++;
      this.most = Math.max(this.most, this.#underWay);
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('close', () => this.#underWay--);
      request.on('end', () => {
        const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
        const received = { path: request.url ?? '', headers: request.headers, body };
        this.received.push(received);
        void Promise.resolve(this.answer(received, this.received.length)).then((answer) => {
          if (answer === 'never') return;
          if (typeof answer === 'number') response.writeHead(answer).end();
          else response.writeHead(answer.status, answer.headers).end(answer.body);
        });
      });
    });
  }

  static async open(
    answer: (received: Received, count: number) => Answer | Promise<Answer> = () => 200,
  ): Promise<WebhookReceiver> {
    const server = createServer();
    const receiver = new WebhookReceiver(server, answer);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  url(path = '/'): string {
    return `http://127.0.0.1:${String(this.port)}${path}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

/** What a notification is about, in a word. */
export function kindOf({ body }: Received): string {
  const [kind = ''] = Object.keys(body as object);
  const told = (body as Record<string, Record<string, never>>)[kind];
  const state = (told?.['status'] as { state?: string } | undefined)?.state ?? '';
  const { artifactId = '' } = (told?.['artifact'] as { artifactId?: string } | undefined) ?? {};
  return `${kind} ${state.replace('TASK_STATE_', '')}${artifactId}`;
}
