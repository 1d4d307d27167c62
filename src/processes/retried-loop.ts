import { Alarm } from './alarm.js';
import type { ReportFault } from './fault.js';
import { retryDelay, type ProcessTiming } from './process-timing.js';

export interface RetriedLoopOptions {
  /** What it means when the work fails, as one line begins with it. */
  readonly whenFailing: string;
  readonly timing: ProcessTiming;
  readonly reportFault: ReportFault;
  /** Aborted when the process stops. */
  readonly signal: AbortSignal;
}

/**
 * Work that goes on for as long as the process runs, months maybe: what fails begins anew after a pause.
 * The pauses grow with the failures since the last progress alone, and a fault is over with the next.
 */
export class RetriedLoop {
  readonly #pause = new Alarm();
  #failures = 0;
  #fault: string | null = null;

  constructor(private readonly options: RetriedLoopOptions) {}

  /** Of the last failure, null since the work has made progress. */
  get fault(): string | null {
    return this.#fault;
  }

  /** To be called by the work: what has failed before does not fail now. */
  madeProgress(): void {
    this.#failures = 0;
    this.#fault = null;
  }

  /** @param work ends by itself only when the process stops; after a failure it begins anew. */
  async run(work: () => Promise<void>): Promise<void> {
    const { whenFailing, timing, reportFault, signal } = this.options;
    while (!signal.aborted) {
      try {
        await work();
        return;
      } catch (error) {
        this.#fault = reportFault(whenFailing, error);
        this.#failures++;
        await this.#pause.sleep(retryDelay(timing, this.#failures), signal);
      }
    }
  }
}
