import { setTimeout as delay } from 'node:timers/promises';
import type { Uuid } from '../../kernel/ids.js';
import type { Clock } from '../../kernel/timestamp.js';
import type { StoredTask } from '../tasks/domain/task.js';
import type { Tasks } from '../tasks/port.js';

/** What a turn's watch needs. */
export interface TurnWatchParts {
  readonly tasks: Pick<Tasks, 'watch'>;
  readonly clock: Clock;
  /** The task as it was when the turn began. */
  readonly stored: StoredTask;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** Told when the turn must end: somebody else has ended it (`past`), or it takes too long. */
  readonly stop: (reason: 'past' | 'deadline') => void;
  readonly fault: (error: unknown) => void;
}

/** Most turns are over by then, and cost no timer for their deadline and no subscription with its signal. */
const SETTLED_AFTER_MS = 50;
/** After a fault of the store, which may be over then. */
const AGAIN_AFTER_MS = 500;

/** Watches a turn that takes longer: it may be canceled by another process, or go on for too long. */
export class TurnWatch {
  #over: AbortController | undefined;
  #timer: NodeJS.Timeout;

  constructor(private readonly parts: TurnWatchParts) {
    this.#timer = setTimeout(() => this.#settle(), SETTLED_AFTER_MS);
  }

  /** The turn is over. */
  end(): void {
    clearTimeout(this.#timer);
    this.#over?.abort();
  }

  #settle(): void {
    const { deadline, clock, stop } = this.parts;
    this.#timer = setTimeout(() => stop('deadline'), Math.max(0, deadline - clock()));
    this.#over = new AbortController();
    void this.#watch(this.#over.signal);
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { tasks, stored, stop, fault } = this.parts;
    for (;;) {
      try {
        // Only the end of the turn ends them.
        for await (const _ of tasks.watch(stored.task.id as Uuid, stored.revision, signal));
        if (!signal.aborted) stop('past');
        return;
      } catch (error) {
        fault(error);
        // Who cancels it meanwhile is still to be heard.
        if (!(await passes(AGAIN_AFTER_MS, signal))) return;
      }
    }
  }
}

/** False: the signal came first. */
async function passes(ms: number, signal: AbortSignal): Promise<boolean> {
  return await delay(ms, true, { signal }).catch(() => false);
}
