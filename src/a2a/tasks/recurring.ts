import type { Reporter } from '../../kernel/reporter.js';
import { Alarm } from '../../processes/alarm.js';

/** Does something again and again, with a pause in between, until it is stopped. */
export class Recurring {
  readonly #stopping = new AbortController();
  readonly #alarm = new Alarm();
  #running: Promise<void> | undefined;

  constructor(
    private readonly name: string,
    private readonly work: (signal: AbortSignal) => Promise<void>,
    private readonly pauseMs: number,
    private readonly report: Reporter,
  ) {}

  start(): void {
    this.#running ??= this.#run();
  }

  /** Cuts the pause short. */
  ring(): void {
    this.#alarm.ring();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.work(signal);
      } catch (error) {
        this.report(`${this.name} failed`, { error });
      }
      await this.#alarm.sleep(this.pauseMs, signal);
    }
  }
}
