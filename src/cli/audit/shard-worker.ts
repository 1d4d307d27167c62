import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type {
  NumberedAnswer,
  ShardAnswers,
  ShardQuestion,
  ShardSettings,
} from './shard-protocol.js';

/** As this file is source or built, so is the thread's. */
const SUFFIX = extname(new URL(import.meta.url).pathname);
const FILE = new URL(`./shard-thread${SUFFIX}`, import.meta.url);
/** Under Jest a thread does not inherit what lets node read the sources. */
const SOURCE_LOADER = new URL('../../../test/support/typescript/register.mjs', import.meta.url);

/** Nearly all that a thread makes is gone with its line: collected seldom, less of it is moved. */
const YOUNG_MIB = 96;

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

/** A shard on a thread of its own: questions are answered in their order. */
export class ShardWorker {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;
  #failure: Error | undefined;

  constructor(settings: ShardSettings) {
    this.#worker = new Worker(FILE, {
      workerData: settings,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
      execArgv: SUFFIX === '.ts' ? ['--import', SOURCE_LOADER.href] : [],
    });
    this.#worker.on('message', ({ id, answer }: NumberedAnswer) => {
      this.#waiting.get(id)?.resolve(answer as never);
      this.#waiting.delete(id);
    });
    this.#worker.on('error', (error: Error) => {
      this.#failure = error;
    });
    this.#worker.on('exit', () => {
      this.#failure ??= new Error('a thread of the audit has ended');
      for (const { reject } of this.#waiting.values()) reject(this.#failure);
      this.#waiting.clear();
    });
  }

  ask<Ask extends ShardQuestion['ask']>(
    question: Extract<ShardQuestion, { readonly ask: Ask }>,
  ): Promise<ShardAnswers[Ask]> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) {
        reject(this.#failure);
        return;
      }
      const id = ++this.#asked;
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, question }, buffersOf(question));
    });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** Lines are handed over, not copied. */
function buffersOf(question: ShardQuestion): ArrayBuffer[] {
  if (question.ask !== 'judge') return [];
  const { lines, indices } = question.lines;
  return [lines.buffer, indices.buffer] as ArrayBuffer[];
}
