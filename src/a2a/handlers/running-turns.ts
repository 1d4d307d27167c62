import type { OnModuleDestroy } from '@nestjs/common';

/** Turns under way in one process: more would starve those that are. */
const MAX_TURNS = 2000;
/** How long the stop of a node waits for handlers that were told to end, in milliseconds. */
const STOP_PATIENCE_MS = 5000;

/** Stops a turn from outside. */
export interface Stoppable {
  stop(): void;
  readonly ended: Promise<unknown>;
}

/** A place among the turns under way; given back when the turn has ended, or never began. */
export interface Slot {
  occupy(turn: Stoppable): void;
  release(): void;
}

/** The turns under way in this process: how many, of what, and how to end them. */
export class RunningTurns implements OnModuleDestroy {
  readonly #running = new Map<Slot, Stoppable | undefined>();
  readonly #byCapability = new Map<string, number>();
  readonly #background = new Set<Promise<unknown>>();
  #isStopping = false;

  /** Undefined when there are too many, of this capability or in all, or when the node stops. */
  take(capability: string, maxConcurrent: number): Slot | undefined {
    const count = this.#byCapability.get(capability) ?? 0;
    if (this.#isStopping || this.#running.size >= MAX_TURNS || count >= maxConcurrent) {
      return undefined;
    }
    this.#byCapability.set(capability, count + 1);
    const slot: Slot = {
      occupy: (turn) => {
        if (this.#isStopping) turn.stop();
        this.#running.set(slot, turn);
      },
      release: () => {
        if (!this.#running.delete(slot)) return;
        const left = (this.#byCapability.get(capability) ?? 1) - 1;
        if (left > 0) this.#byCapability.set(capability, left);
        else this.#byCapability.delete(capability);
      },
    };
    this.#running.set(slot, undefined);
    return slot;
  }

  /** Work that nobody waits for, but the stop of the node. */
  inBackground(work: Promise<unknown>): void {
    this.#background.add(work);
    void work.finally(() => this.#background.delete(work));
  }

  /** Tells every turn to end, and waits, but not for ever. */
  async onModuleDestroy(): Promise<void> {
    this.#isStopping = true;
    const turns = [...this.#running.values()].filter((turn) => turn !== undefined);
    for (const turn of turns) turn.stop();
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, STOP_PATIENCE_MS);
    });
    await Promise.race([patience, this.#all(turns.map(({ ended }) => ended))]);
    clearTimeout(timer);
  }

  async #all(ends: readonly Promise<unknown>[]): Promise<void> {
    await Promise.allSettled(ends);
    await Promise.allSettled(this.#background);
  }
}
