import { Tally } from '../kernel/tally.js';
import { letOthersRun } from '../threads/let-others-run.js';

/** Who waits. */
export interface QueuedFor {
  readonly tenant: string;
  readonly caller: string;
}

/** How many wait at most: each keeps what its answer is to be made of. */
export interface QueueLimits {
  readonly perTenant: number;
  readonly perCaller: number;
}

type Start = () => void;

/**
 * Makes large answers one after the other, since there is one thread for all of them: by turns of the
 * tenants that wait, of a tenant by turns of its callers, of a caller in the order in which it asked.
 * Everything else has its turn between two of them.
 */
export class AnswerQueue {
  /** Callers that wait, by tenant; whoever stands first comes next. */
  readonly #waiting = new Map<string, Map<string, Start[]>>();
  readonly #ofTenant = new Tally();
  readonly #ofCaller = new Tally();
  #isBusy = false;

  constructor(private readonly limits: QueueLimits) {}

  /** @returns what `make` gives; undefined, without a call of it, when too many wait */
  async inTurn<T>(who: QueuedFor, make: () => Promise<T>): Promise<T | undefined> {
    if (this.#isBusy) {
      const isFull =
        this.#ofTenant.of(who.tenant) >= this.limits.perTenant ||
        this.#ofCaller.of(who.caller) >= this.limits.perCaller;
      if (isFull) return undefined;
      await this.#wait(who);
    }
    this.#isBusy = true;
    try {
      return await make();
    } finally {
      void this.#next();
    }
  }

  async #wait({ tenant, caller }: QueuedFor): Promise<void> {
    this.#ofTenant.add(tenant);
    this.#ofCaller.add(caller);
    await new Promise<void>((start) => {
      const callers = this.#waiting.get(tenant) ?? new Map<string, Start[]>();
      this.#waiting.set(tenant, callers);
      callers.set(caller, [...(callers.get(caller) ?? []), start]);
    });
    this.#ofTenant.take(tenant);
    this.#ofCaller.take(caller);
  }

  /** The place is free only once others have run. */
  async #next(): Promise<void> {
    await letOthersRun();
    const start = this.#takeFirst();
    if (start === undefined) this.#isBusy = false;
    else start();
  }

  #takeFirst(): Start | undefined {
    const [ofTenant] = this.#waiting;
    if (ofTenant === undefined) return undefined;
    const [tenant, callers] = ofTenant;
    const [ofCaller] = callers;
    if (ofCaller === undefined) return undefined;
    const [caller, [start, ...others]] = ofCaller;
    // Whoever had a turn stands last.
    callers.delete(caller);
    if (others.length > 0) callers.set(caller, others);
    this.#waiting.delete(tenant);
    if (callers.size > 0) this.#waiting.set(tenant, callers);
    return start;
  }
}
