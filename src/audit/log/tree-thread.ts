import type { Worker } from 'node:worker_threads';
import { START, type Position } from '../../event-store/port.js';
import { errorSummary } from '../../projections/error-summary.js';
import { WaitingReaders } from '../../projections/waiting-readers.js';
import type { TreeOrder, TreeProgress } from './tree-progress.js';

export interface TreeThreadOptions {
  /** Starts a thread that runs a `TreeFollower` and tells its progress. */
  readonly start: () => Worker;
  /** Told each time the thread ended by itself, before it is started again. */
  readonly onFailure: (error: unknown) => void;
  /** First and longest pause before it is started again, in milliseconds. */
  readonly backoffMs?: readonly [first: number, longest: number];
}

/** A thread is given so long to end by itself, in milliseconds. */
const STOP_MS = 2_000;

const NOT_STARTED: TreeProgress = {
  position: START,
  stalled: null,
  proven: null,
  isContradicted: false,
};

/**
 * The thread in which the tree grows: canonical JSON, hashes and pages of every event would take a
 * tenth of the time that the service has for a negotiation. It starts when it is first needed.
 */
export class TreeThread {
  readonly #readers = new WaitingReaders();
  #worker: Worker | undefined;
  #progress = NOT_STARTED;
  #restart: NodeJS.Timeout | undefined;
  #backoff: number;
  #failure: unknown;
  #isClosed = false;

  constructor(private readonly options: TreeThreadOptions) {
    this.#backoff = this.#firstBackoff;
  }

  get progress(): TreeProgress {
    return this.#progress;
  }

  /** Lets the tree look at the log now. */
  wake(): void {
    if (this.#isClosed) return;
    if (this.#worker === undefined && this.#restart === undefined) this.#start();
    this.#worker?.postMessage('wake' satisfies TreeOrder);
  }

  /** True as soon as the tree has taken every event up to a position. */
  async reaches(position: Position, timeoutMs: number): Promise<boolean> {
    return await this.until(
      () => this.#progress.position >= position && this.#progress.stalled === null,
      timeoutMs,
    );
  }

  /** True as soon as the condition holds; it is asked after each step of the tree. */
  async until(condition: () => boolean, timeoutMs: number): Promise<boolean> {
    this.wake();
    return await this.#readers.until(condition, timeoutMs);
  }

  /** Ends the thread, and starts another one as if it had failed by itself: what it works on is no good. */
  fail(reason: unknown): void {
    if (this.#isClosed || this.#failure !== undefined) return;
    this.#failure = reason;
    if (this.#worker === undefined) this.#failed();
    else void this.#worker.terminate();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#restart);
    this.#readers.close();
    const worker = this.#worker;
    if (worker === undefined) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage('stop' satisfies TreeOrder);
    // One that is still starting does not listen yet; the tree's file outlives any end.
    const patience = setTimeout(() => void worker.terminate(), STOP_MS);
    await ended;
    clearTimeout(patience);
  }

  get #firstBackoff(): number {
    return this.options.backoffMs?.[0] ?? 100;
  }

  #start(): void {
    this.#restart = undefined;
    const worker = this.options.start();
    this.#worker = worker;
    worker.on('message', (progress: TreeProgress) => {
      this.#progress = progress;
      this.#backoff = this.#firstBackoff;
      this.#readers.notify();
    });
    worker.on('error', (error) => {
      this.#failure ??= error;
    });
    worker.on('exit', () => {
      this.#worker = undefined;
      if (!this.#isClosed) this.#failed();
    });
  }

  #failed(): void {
    const failure = this.#failure ?? new Error('the thread of the tree has ended');
    this.#failure = undefined;
    this.#progress = { ...this.#progress, stalled: errorSummary(failure), proven: null };
    this.options.onFailure(failure);
    clearTimeout(this.#restart);
    this.#restart = setTimeout(() => {
      this.#start();
    }, this.#backoff).unref();
    this.#backoff = Math.min(this.#backoff * 2, this.options.backoffMs?.[1] ?? 30_000);
  }
}
