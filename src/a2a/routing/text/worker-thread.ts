import type { Worker } from 'node:worker_threads';
import { startThread } from '../../../threads/start-thread.js';
import type { Answers, NumberedAnswer, Question, WorkerSettings } from './protocol.js';

/** Of the heap; matrices and vectors lie outside it. */
const HEAP_MB = 256;

/** The thread is gone, or it never came: what it was asked is not answered. */
export class WorkerEnded extends Error {
  constructor(cause: unknown) {
    super('the text classifier thread has ended', { cause });
    this.name = 'WorkerEnded';
  }
}

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: WorkerEnded) => void;
}

/** One run of the worker: questions out, answers in. When it ends, all that waits is rejected. */
export class WorkerThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;
  #cause: unknown;
  #isRunning = true;

  constructor(settings: WorkerSettings, onEnd: () => void) {
    this.#worker = startThread('./worker', import.meta.url, {
      workerData: settings,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    this.#worker.on('message', ({ id, answer }: NumberedAnswer) => {
      this.#waiting.get(id)?.resolve(answer as never);
      this.#waiting.delete(id);
    });
    this.#worker.on('error', (error) => {
      this.#cause = error;
    });
    this.#worker.on('exit', () => {
      this.#isRunning = false;
      for (const { reject } of this.#waiting.values()) reject(new WorkerEnded(this.#cause));
      this.#waiting.clear();
      onEnd();
    });
  }

  /** Why it ended, if by an error. */
  get failure(): unknown {
    return this.#cause;
  }

  /** @throws WorkerEnded */
  ask<Ask extends Question['ask']>(
    question: Extract<Question, { readonly ask: Ask }>,
  ): Promise<Answers[Ask]> {
    if (!this.#isRunning) return Promise.reject(new WorkerEnded(this.#cause));
    const id = ++this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, question });
    });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}
