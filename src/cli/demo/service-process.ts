import { spawn, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

/** The real service in a process of its own, which does not outlive this one. */
export interface ServiceProcess {
  readonly baseUrl: string;
  /** Waits until it answers. Throws when it does not start, with what it printed on the way. */
  ready(): Promise<void>;
  /** Asks it to stop, and waits until it has. */
  stop(): Promise<void>;
  /** Ends it at once. */
  kill(): void;
  /** Resolves when the process has ended, for whatever reason. */
  readonly ended: Promise<void>;
}

/** The example that the story's second part plays with. */
const FINANCE_AGENT = fileURLToPath(
  new URL('../../../examples/finance/agents.json', import.meta.url),
);

const START_TIMEOUT_MS = 30_000;
/** How the service says that it has its port. */
const LISTENING = 'countersign listens on ';

/** Launches the service in development mode on a free loopback port, with its data in `folder`. */
export async function launchService(folder: string, wantedPort: number): Promise<ServiceProcess> {
  const port = await freePort(wantedPort);
  const program = fileURLToPath(new URL('attached-service.js', import.meta.url));
  const child = spawn(process.execPath, [program, folder], {
    env: {
      COUNTERSIGN_DEV: '1',
      PORT: String(port),
      DATA_FOLDER: folder,
      HOSTED_AGENTS: FINANCE_AGENT,
      LOG_CHECKPOINT_SECONDS: '1',
    },
    stdio: 'pipe',
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      resolve();
    });
  });
  const baseUrl = `http://127.0.0.1:${String(port)}`;
  return {
    baseUrl,
    ended,
    ready: async () => {
      // Another program may have taken the port meanwhile, and would answer as well.
      const isListening = () => output.includes(LISTENING);
      if (await answers(baseUrl, child, isListening)) return;
      child.kill('SIGKILL');
      throw new Error(`the service did not start:\n${output}`);
    },
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
    kill: () => {
      child.kill('SIGKILL');
    },
  };
}

async function answers(
  baseUrl: string,
  child: ChildProcess,
  isListening: () => boolean,
): Promise<boolean> {
  const end = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < end && child.exitCode === null && child.signalCode === null) {
    try {
      if (isListening() && (await fetch(`${baseUrl}/health/ready`)).ok) return true;
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
