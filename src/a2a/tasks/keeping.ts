import { START } from '../../event-store/port.js';
import type { ReadModel } from '../../projections/port.js';

/** Something that works in the background until it is stopped. */
export interface Keeper {
  start(): void;
  stop(): Promise<void>;
}

const READY_POLL_MS = 250;

/** What keeps tasks in the background, once the views have been complete for the first time. */
export class Keeping {
  #keepers: readonly Keeper[] = [];
  #starting: Promise<void> = Promise.resolve();
  #isStopping = false;

  constructor(private readonly views: Pick<ReadModel, 'waitFor'>) {}

  start(keepers: readonly Keeper[]): void {
    this.#starting = this.#whenReady(keepers);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#starting;
    await Promise.all(this.#keepers.map(async (keeper) => await keeper.stop()));
  }

  async #whenReady(keepers: readonly Keeper[]): Promise<void> {
    while (!(await this.views.waitFor(START, READY_POLL_MS))) if (this.#isStopping) return;
    this.#keepers = keepers;
    for (const keeper of keepers) keeper.start();
  }
}
