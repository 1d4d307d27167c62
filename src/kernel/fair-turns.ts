/** Whose a turn is. */
export interface TurnHolder {
  readonly tenant: string;
  readonly caller: string;
}

interface Waiting {
  readonly holder: TurnHolder;
  readonly resolve: (isTurn: boolean) => void;
}

/** What waits of a tenant, by its callers: whoever had a turn goes to the end of both. */
type Queues = Map<string, Map<string, Waiting[]>>;

/**
 * Turns at something that takes only so many at once: tenants in turn, and of a tenant its callers in
 * turn, so that nobody waits for all that somebody else has asked. When too many wait, the newest of
 * whoever has most of them waiting leaves.
 */
export class FairTurns {
  readonly #queues: Queues = new Map();
  #waiting = 0;
  #running = 0;

  /**
   * @param atOnce turns that are taken at once
   * @param mostWaiting that wait for theirs at once; without it whoever asks sees to that
   */
  constructor(
    private readonly atOnce: number,
    private readonly mostWaiting = Number.POSITIVE_INFINITY,
  ) {}

  /** How many wait of a holder, and of its tenant. */
  waitingOf({ tenant, caller }: TurnHolder): { readonly caller: number; readonly tenant: number } {
    const callers = this.#queues.get(tenant);
    if (callers === undefined) return { caller: 0, tenant: 0 };
    return { caller: callers.get(caller)?.length ?? 0, tenant: sizeOf(callers) };
  }

  /**
   * Resolves with true once it is the holder's turn, which lasts until {@link end}; with false when
   * there is none: too many wait, or `signal` was aborted first.
   */
  begin(holder: TurnHolder, signal?: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const waiting: Waiting = { holder, resolve };
      this.#add(waiting);
      signal?.addEventListener('abort', () => this.#leave(waiting), { once: true });
      if (this.#waiting > this.mostWaiting) this.#leave(this.#newestOfMost());
      this.#next();
    });
  }

  end(): void {
    this.#running--;
    this.#next();
  }

  #next(): void {
    while (this.#running < this.atOnce && this.#waiting > 0) {
      const waiting = this.#first();
      this.#running++;
      waiting.resolve(true);
    }
  }

  #add(waiting: Waiting): void {
    const { tenant, caller } = waiting.holder;
    const callers = this.#queues.get(tenant) ?? new Map<string, Waiting[]>();
    const queue = callers.get(caller) ?? [];
    queue.push(waiting);
    callers.set(caller, queue);
    this.#queues.set(tenant, callers);
    this.#waiting++;
  }

  /** Takes out the one whose turn is next. */
  #first(): Waiting {
    const [tenant, callers] = firstOf(this.#queues);
    const [caller, queue] = firstOf(callers);
    const waiting = queue[0] as Waiting;
    this.#queues.delete(tenant);
    callers.delete(caller);
    if (queue.length > 1) callers.set(caller, queue.slice(1));
    if (callers.size > 0) this.#queues.set(tenant, callers);
    this.#waiting--;
    return waiting;
  }

  /** Nothing happens to one that had its turn, or left. */
  #leave(waiting: Waiting): void {
    const { tenant, caller } = waiting.holder;
    const callers = this.#queues.get(tenant);
    const queue = callers?.get(caller);
    const index = queue?.indexOf(waiting) ?? -1;
    if (callers === undefined || queue === undefined || index === -1) return;
    queue.splice(index, 1);
    if (queue.length === 0) callers.delete(caller);
    if (callers.size === 0) this.#queues.delete(tenant);
    this.#waiting--;
    waiting.resolve(false);
  }

  #newestOfMost(): Waiting {
    const callers = mostOf([...this.#queues.values()], sizeOf);
    const queue = mostOf([...callers.values()], ({ length }) => length);
    return queue.at(-1) as Waiting;
  }
}

function sizeOf(callers: ReadonlyMap<string, readonly Waiting[]>): number {
  return [...callers.values()].reduce((sum, { length }) => sum + length, 0);
}

function firstOf<Value>(queues: ReadonlyMap<string, Value>): readonly [string, Value] {
  for (const entry of queues) return entry;
  throw new Error('nobody waits');
}

/** Of several alike the last, who came last. */
function mostOf<Value>(values: readonly Value[], of: (value: Value) => number): Value {
  return values.reduce((most, value) => (of(value) >= of(most) ? value : most));
}
