import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { stopProcess } from './child-service.js';

const LOADER = fileURLToPath(
  new URL('../../test/support/typescript/register.mjs', import.meta.url),
);

/** Starts a TypeScript file of ours as a child process that talks by messages. */
export function forkTypeScript(file: URL): ReturnType<typeof fork> {
  return fork(fileURLToPath(file), { execArgv: ['--import', LOADER] });
}

/** A load generator's process: it answers each load with `{result}` or `{error}`; one at a time. */
export class LoadProcess<Load extends object, LoadResult> {
  readonly #process: ReturnType<typeof fork>;

  constructor(file: URL) {
    this.#process = forkTypeScript(file);
  }

  run(load: Load): Promise<LoadResult> {
    return new Promise((resolve, reject) => {
      this.#process.once('message', (message: { result?: LoadResult; error?: string }) => {
        if (message.result === undefined) reject(new Error(message.error));
        else resolve(message.result);
      });
      this.#process.send(load);
    });
  }

  stop(): Promise<void> {
    return stopProcess(this.#process);
  }
}
