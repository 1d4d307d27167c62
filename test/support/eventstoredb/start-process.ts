import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { built } from '../built.js';
import type { ProcessOptions } from './double-process.js';

const PROGRAM = built(new URL('./double-process.ts', import.meta.url));

export interface DoubleProcess {
  readonly connectionString: string;
  /** `kill -9`: with a `file`, another process goes on from what was acknowledged. */
  kill(): Promise<void>;
}

/** Starts a double that several processes share, and that can be killed and started again. */
export async function startDoubleProcess(options: ProcessOptions = {}): Promise<DoubleProcess> {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout });
  const [connectionString] = (await Promise.race([
    once(lines, 'line'),
    ended.then(() => Promise.reject(new Error('the double ended'))),
  ])) as [string];
  return {
    connectionString,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
