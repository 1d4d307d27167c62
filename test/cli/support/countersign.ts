import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { built } from '../../support/built.js';

const PROGRAM = built(new URL('../../../src/cli/main.ts', import.meta.url));

export interface Finished {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command as a process of its own, with `input` on its stdin. */
export async function countersign(
  args: readonly string[],
  input = '',
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], ...env },
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => (output[name] += chunk));
  }
  // A command that refuses its arguments ends before it has read anything.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', resolve);
  });
  return { exitCode, ...output };
}

/** A folder for the files of one suite. */
export class Folder {
  private constructor(readonly path: string) {}

  static async make(): Promise<Folder> {
    return new Folder(await mkdtemp(join(tmpdir(), 'countersign-cli-')));
  }

  in(name: string): string {
    return join(this.path, name);
  }

  /** Writes text, or JSON of anything else, and says where. */
  async file(name: string, content: unknown): Promise<string> {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    await writeFile(this.in(name), text);
    return this.in(name);
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}
