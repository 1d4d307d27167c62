import { spawn, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

/** The real service in a process of its own. */
export interface ServiceProcess {
  readonly baseUrl: string;
  /** Asks it to stop, and waits until it has. */
  stop(): Promise<void>;
  /** Resolves when the process has ended, for whatever reason. */
  readonly ended: Promise<void>;
}

const START_TIMEOUT_MS = 30_000;

/**
 * Starts the service in development mode on a free loopback port, with its data in `folder`.
 * Resolves once it answers; what it prints on the way is shown only when it fails.
 */
export async function startService(folder: string, wantedPort: number): Promise<ServiceProcess> {
  const port = await freePort(wantedPort);
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('../../main.js', import.meta.url))],
    {
      env: {
        COUNTERSIGN_DEV: '1',
        PORT: String(port),
        DATA_FOLDER: folder,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      resolve();
    });
  });
  const baseUrl = `http://127.0.0.1:${String(port)}`;
  if (!(await answers(baseUrl, child))) {
    child.kill('SIGKILL');
    throw new Error(`the service did not start:\n${output}`);
  }
  return {
    baseUrl,
    ended,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function answers(baseUrl: string, child: ChildProcess): Promise<boolean> {
  const end = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < end && child.exitCode === null) {
    try {
      if ((await fetch(`${baseUrl}/health/ready`)).ok) return true;
    } catch {
      // Not listening yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}

/** The wanted port when nobody has it, else one that the system picks. */
async function freePort(wanted: number): Promise<number> {
  return (await tryPort(wanted)) ?? (await tryPort(0)) ?? 0;
}

function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(undefined);
    });
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        resolve(typeof address === 'object' ? address?.port : undefined);
      });
    });
  });
}
