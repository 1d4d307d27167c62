import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What is answered in place of the service's body; the body itself where nothing is to change. */
export type Tampering = (path: string, body: string) => string | Promise<string>;

/** Stands between a client and a service, over real HTTP, and changes what it says. */
export class TamperingProxy {
  tamper: Tampering = (_, body) => body;
  /** In place of the service's own. */
  status: (path: string, status: number) => number = (_, status) => status;
  /** After which share of its bytes an answer is broken off; 1 for a whole one. */
  whole: (path: string) => number = () => 1;

  private constructor(private readonly server: Server) {}

  static async before(service: { readonly url: string }): Promise<TamperingProxy> {
    const proxy: TamperingProxy = new TamperingProxy(
      createServer((request, response) => {
        void (async () => {
          const path = request.url ?? '/';
          const { accept = '*/*', authorization = '' } = request.headers;
          const answer = await fetch(`${service.url}${path}`, {
            headers: { accept, authorization },
          });
          const bytes = Buffer.from(await answer.arrayBuffer());
          const body = bytes.toString();
          const changed = await proxy.tamper(path, body);
          const type = answer.headers.get('content-type') ?? 'application/octet-stream';
          response.writeHead(proxy.status(path, answer.status), { 'content-type': type });
          // Not every body is a text.
          const sent = changed === body ? bytes : Buffer.from(changed);
          const share = proxy.whole(path);
          if (share === 1) response.end(sent);
          else response.write(sent.subarray(0, sent.length * share), () => response.destroy());
        })();
      }),
    );
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
