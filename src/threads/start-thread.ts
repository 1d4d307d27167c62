import { extname } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Lets node read the sources, which a thread does not inherit under Jest. */
const SOURCE_LOADER = new URL('../../test/support/typescript/register.mjs', import.meta.url);

/** V8's default of `maxYoungGenerationSizeMb`: three spaces of 16 MB. */
const YOUNG_MB = 48;
const SPACES = 3;

export type ThreadOptions = Pick<WorkerOptions, 'workerData' | 'resourceLimits'>;

/**
 * Starts a thread from a file of ours, which is source or built as the file that asks for it.
 * @param name of the file without its suffix, relative to `beside`: `./shard-thread`
 * @param beside `import.meta.url` of the file that asks
 */
export function startThread(name: string, beside: string, options: ThreadOptions): Worker {
  const suffix = extname(new URL(beside).pathname);
  const execArgv = suffix === '.ts' ? ['--import', SOURCE_LOADER.href] : [];
  limitYoung(options.resourceLimits?.maxYoungGenerationSizeMb ?? YOUNG_MB);
  return new Worker(new URL(name + suffix, beside), { ...options, execArgv });
}

/**
 * Says by flags what `resourceLimits` would: the arguments of `npm start`, by which the main thread has more
 * room for young objects, count for every heap that begins, and before any limit of it. Each thread would take
 * 100 MB more, for nothing. Heaps that have begun keep what they have.
 */
function limitYoung(megabytes: number): void {
  setFlagsFromString('--min-semi-space-size=1');
  setFlagsFromString(`--max-semi-space-size=${String(Math.ceil(megabytes / SPACES))}`);
}
