import { extname } from 'node:path';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Lets node read the sources, which a thread does not inherit under Jest. */
const SOURCE_LOADER = new URL('../../test/support/typescript/register.mjs', import.meta.url);

export type ThreadOptions = Pick<WorkerOptions, 'workerData' | 'resourceLimits'>;

/**
 * Starts a thread from a file of ours, which is source or built as the file that asks for it.
 * @param name of the file without its suffix, relative to `beside`: `./shard-thread`
 * @param beside `import.meta.url` of the file that asks
 */
export function startThread(name: string, beside: string, options: ThreadOptions): Worker {
  const suffix = extname(new URL(beside).pathname);
  const execArgv = suffix === '.ts' ? ['--import', SOURCE_LOADER.href] : [];
  return new Worker(new URL(name + suffix, beside), { ...options, execArgv });
}
