import type { Worker } from 'node:worker_threads';
import { startThread } from '../../threads/start-thread.js';
import { faultOfThread } from './audit-fault.js';
import {
  memoryOf,
  type NumberedAnswer,
  type ShardAnswers,
  type ShardQuestion,
  type ShardSettings,
} from './shard-protocol.js';

/**
 * Of a thread's heap. Nearly all that it makes is gone with its line, and what lives is small: larger
 * halves for young objects gain nothing. Of a heap that may reach 2 GiB, V8 collects the old ones once
 * they have grown to four times what lives, of a smaller one at twice that.
 */
const LIMITS = { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 2_000 };

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
    this.#worker = startThread('./shard-thread', import.meta.url, {
      workerData: settings,
      resourceLimits: LIMITS,
    });
    this.#worker.on('message', ({ id, answer }: NumberedAnswer) => {
      this.#waiting.get(id)?.resolve(answer as never);
      this.#waiting.delete(id);
    });
    this.#worker.on('error', (error: Error) => {
      this.#failure = faultOfThread(error) ?? error;
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
  return question.ask === 'judge' ? memoryOf(question.lines) : [];
}
