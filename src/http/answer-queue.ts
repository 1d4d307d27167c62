import { FairTurns, type TurnHolder } from '../kernel/fair-turns.js';
import { letOthersRun } from '../threads/let-others-run.js';

/** How many wait at most: each keeps what its answer is to be made of. */
export interface QueueLimits {
  readonly perTenant: number;
  readonly perCaller: number;
}

/**
 * Makes large answers one after the other, since there is one thread for all of them: in fair turns, and
 * everything else has its turn between two of them.
 */
export class AnswerQueue {
  readonly #turns = new FairTurns(1);

  constructor(private readonly limits: QueueLimits) {}

  /** @returns what `make` gives; undefined, without a call of it, when too many wait */
  async inTurn<T>(who: TurnHolder, make: () => Promise<T>): Promise<T | undefined> {
    const waiting = this.#turns.waitingOf(who);
    const { perTenant, perCaller } = this.limits;
    if (waiting.tenant >= perTenant || waiting.caller >= perCaller) return undefined;
    await this.#turns.begin(who);
    try {
      return await make();
    } finally {
      void this.#end();
    }
  }

  /** The place is free only once others have run. */
  async #end(): Promise<void> {
    await letOthersRun();
    this.#turns.end();
  }
}
