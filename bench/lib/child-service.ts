import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

/** A service that was started from `dist`, as in production, in a process of its own. */
export interface ChildService {
  readonly port: number;
  readonly process: ChildProcess;
}

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** What `npm start` gives to node: the service is measured as it runs. */
const START_ARGUMENTS = startArguments();

function startArguments(): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(path('../../package.json'), 'utf8')) as {
    readonly scripts: { readonly start: string };
  };
  return scripts.start.match(/--\S+/g) ?? [];
}

/** Resolves once the service is ready. `npm run build` must have been run. */
export async function startService(
  folder: string,
  nodeArguments: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<ChildService> {
  const port = await freePort();
  const child = spawn(
    process.execPath,
    [...START_ARGUMENTS, ...nodeArguments, path('../../dist/main.js')],
    {
      env: { COUNTERSIGN_DEV: '1', PORT: String(port), DATA_FOLDER: folder, ...environment },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  for (let tries = 0; tries < 200; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    if (child.exitCode !== null) throw new Error('the service did not start; run `npm run build`');
    const ready = await fetch(`http://127.0.0.1:${String(port)}/health/ready`).catch(
      () => undefined,
    );
    if (ready?.ok === true) return { port, process: child };
  }
  throw new Error('the service did not become ready');
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
  });
}

export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

/** User and system seconds of another process so far (Linux; NaN elsewhere). */
export function cpuSecondsOf(child: ChildProcess): number {
  try {
    const stat = readFileSync(`/proc/${String(child.pid)}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return NaN;
  }
}

/** Resolves when the process has done next to nothing for a second, or after so long. */
export async function untilIdle(child: ChildProcess, patienceMs: number): Promise<void> {
  const end = performance.now() + patienceMs;
  for (let quiet = 0; quiet < 4 && performance.now() < end;) {
    const before = cpuSecondsOf(child);
    await new Promise((resolve) => setTimeout(resolve, 250));
    quiet = cpuSecondsOf(child) - before > 0.03 ? 0 : quiet + 1;
  }
}
