import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface ChatAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Never answers. */
  readonly silent?: boolean;
}

/** A language model that says this. */
export function modelSays(content: unknown): ChatAnswer {
  return { body: JSON.stringify({ choices: [{ message: { content: JSON.stringify(content) } }] }) };
}

/** A chat endpoint on this machine that answers what it is told. */
export class ChatEndpoint {
  readonly requests: { readonly headers: IncomingMessage['headers']; readonly body: string }[] = [];
  answer: ChatAnswer = {};

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      void text(request).then((body) => {
        this.requests.push({ headers: request.headers, body });
        const { status = 200, headers, body: answer, silent = false } = this.answer;
        if (!silent) response.writeHead(status, headers).end(answer);
      });
    });
  }

  static async open(): Promise<ChatEndpoint> {
    const endpoint = new ChatEndpoint(createServer());
    await new Promise<void>((resolve) => endpoint.server.listen(0, '127.0.0.1', resolve));
    return endpoint;
  }

  get url(): string {
    const { port } = this.server.address() as AddressInfo;
    return `http://127.0.0.1:${String(port)}/chat/completions`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
