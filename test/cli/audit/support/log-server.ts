import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What somebody who need not be honest serves as a log. */
export interface ServedLog {
  /** Of the export. */
  readonly lines: readonly string[];
  /** The note at `/log/checkpoint`. */
  readonly newest: string;
  /** The notes at `/v1/log/checkpoints`, the newest first. */
  readonly listed: readonly string[];
}

/** Serves a log to an audit over real HTTP; it knows no interaction, and has no tiles. */
export class LogServer {
  log: ServedLog = { lines: [], newest: '', listed: [] };

  private constructor(private readonly server: Server) {}

  static async start(): Promise<LogServer> {
    const served: LogServer = new LogServer(
      createServer((request, response) => {
        const url = new URL(request.url ?? '/', 'http://localhost');
        const body = served.#answer(url);
        response.writeHead(body === undefined ? 404 : 200).end(body ?? '{}');
      }),
    );
    await new Promise<void>((resolve) => served.server.listen(0, '127.0.0.1', resolve));
    return served;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  #answer({ pathname, searchParams }: URL): string | undefined {
    const { lines, newest, listed } = this.log;
    switch (pathname) {
      case '/log/checkpoint':
        return newest;
      case '/v1/log/checkpoints':
        return JSON.stringify({ checkpoints: listed.map((note) => ({ note })) });
      case '/v1/events':
        return lines
          .slice(Number(searchParams.get('after') ?? 0))
          .map((line) => `${line}\n`)
          .join('');
      default:
        return undefined;
    }
  }
}
