import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chown, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Account } from './postgres-account.js';

const ATTEMPTS = 3;
/** Of each program, at most. */
const START_MS = 60_000;
const STOP_MS = 10_000;

/** Where a server runs from, where it puts its files, and as whom, unless it is ourselves. */
export interface Place {
  readonly binaries: string;
  readonly folder: string;
  readonly account: Account | undefined;
}

export interface Cluster {
  /** Of its database `postgres`, as a superuser. */
  readonly url: string;
  /** Ends it at once: nobody will read its files again. Also once it has ended by itself. */
  stop(): Promise<void>;
}

/** A new, empty PostgreSQL server on 127.0.0.1. */
export async function startCluster(
  place: Place,
  findPort: () => Promise<number> = freePort,
): Promise<Cluster> {
  const password = await initialise(place);
  for (let attempt = 1; ; attempt++) {
    const port = await findPort();
    try {
      const stop = await serve(place, port);
      return { url: `postgres://postgres:${password}@127.0.0.1:${String(port)}/postgres`, stop };
    } catch (error) {
      // Another program may have taken the port meanwhile.
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

/** Makes the files of a server, and returns its superuser's password. */
async function initialise(place: Place): Promise<string> {
  const password = randomBytes(16).toString('hex');
  const passwordFile = join(place.folder, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (place.account !== undefined) {
    await chown(passwordFile, place.account.uid, place.account.gid);
  }
  await promisify(execFile)(
    join(place.binaries, 'initdb'),
    [
      ...[`--pgdata=${dataOf(place)}`, '--username=postgres', `--pwfile=${passwordFile}`],
      ...['--auth=scram-sha-256', '--locale=C', '--encoding=UTF8', '--no-sync'],
    ],
    { ...surroundings(place), timeout: START_MS },
  );
  return password;
}

/** Returns how to stop it, once it takes connections. */
async function serve(place: Place, port: number): Promise<Cluster['stop']> {
  const server = spawn(
    join(place.binaries, 'postgres'),
    [
      ...['-D', dataOf(place), '-p', String(port)],
      ...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
      ...['-c', 'max_connections=200', '-c', 'shared_buffers=64MB'],
    ],
    { ...surroundings(place), stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = new Promise((resolve) => server.once('close', resolve));
  const killAfter = (ms: number): NodeJS.Timeout => setTimeout(() => server.kill('SIGKILL'), ms);

  const impatience = killAfter(START_MS);
  try {
    await new Promise<void>((resolve, reject) => {
      let said = '';
      server.stderr.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        if (said.includes('ready to accept connections')) resolve();
      });
      server.once('error', reject);
      void ended.then(() => reject(new Error(`the server ended: ${said}`)));
    });
  } finally {
    clearTimeout(impatience);
  }
  server.stderr.removeAllListeners('data').resume();
  return async () => {
    server.kill('SIGQUIT');
    const patience = killAfter(STOP_MS);
    await ended;
    clearTimeout(patience);
  };
}

function dataOf(place: Place): string {
  return join(place.folder, 'data');
}

/** Not our own folder, which it need not be able to enter. */
function surroundings({ account, folder }: Place): object {
  return { ...account, cwd: folder, env: environment() };
}

/** Ours without what would set up a server or client, in the language that we read. */
function environment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('PG'));
  return { ...Object.fromEntries(own), LC_ALL: 'C' };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
