/** Texts by name, somewhere else than in memory. */
export interface RestingPlace {
  get(name: string): string | undefined;
  set(name: string, text: string): void;
  delete(name: string): void;
  /** The first so many with names behind this one, in the order of the names. */
  page(after: string, most: number): readonly (readonly [name: string, text: string])[];
}

/** How a state becomes a text, and the text a state from which everything follows as before. */
export interface Packing<State> {
  pack(state: State): string;
  unpack(text: string): State;
}

/** States that are awake at least, before any is put to rest. */
const AWAKE = 256;
/** States that are looked at together. */
const PAGE = 256;

/**
 * States by name, for a replay whose memory must not grow with the log: those that were touched lately
 * are awake, the others rest as texts in a place, and wake when they are asked for. Without a place
 * all stay awake.
 *
 * What {@link RestingStates.get} gave may be changed until the next is asked for.
 */
export class RestingStates<State extends object | null> {
  /** Whatever was touched since the last turn, and what was touched in the turn before it alone. */
  #young = new Map<string, State>();
  #old = new Map<string, State>();

  constructor(
    private readonly packing: Packing<State>,
    private readonly place?: RestingPlace,
  ) {}

  /** How many are awake. */
  get awake(): number {
    return this.#young.size + this.#old.size;
  }

  /** To be looked at or changed; undefined where there is none. */
  get(name: string): State | undefined {
    const young = this.#young.get(name);
    if (young !== undefined) return young;
    const state = this.peek(name);
    if (state !== undefined) this.set(name, state);
    return state;
  }

  /** To be looked at only: who rests goes on resting. */
  peek(name: string): State | undefined {
    const awake = this.#young.get(name);
    if (awake !== undefined) return awake;
    const old = this.#old.get(name);
    if (old !== undefined) return old;
    const text = this.place?.get(name);
    return text === undefined ? undefined : this.packing.unpack(text);
  }

  set(name: string, state: State): void {
    if (this.place !== undefined && this.#young.size >= AWAKE && !this.#young.has(name)) {
      this.#turn(this.place);
    }
    this.#old.delete(name);
    this.#young.set(name, state);
  }

  delete(name: string): void {
    this.#young.delete(name);
    this.#old.delete(name);
    this.place?.delete(name);
  }

  /** Puts all to rest. */
  rest(): void {
    if (this.place === undefined) return;
    this.#turn(this.place);
    this.#turn(this.place);
  }

  /** All of them with names behind this one, in the order of the names; nothing may change meanwhile. */
  *entries(after = ''): Generator<readonly [name: string, state: State], void> {
    const { place, packing } = this;
    if (place === undefined) {
      const names = [...this.#young.keys()].filter((name) => name > after).sort();
      for (const name of names) yield [name, this.#young.get(name) as State];
      return;
    }
    this.rest();
    for (let last: string | undefined = after; last !== undefined;) {
      const page: ReturnType<RestingPlace['page']> = place.page(last, PAGE);
      for (const [name, text] of page) yield [name, packing.unpack(text)];
      last = page.at(-1)?.[0];
    }
  }

  #turn(place: RestingPlace): void {
    for (const [name, state] of this.#old) place.set(name, this.packing.pack(state));
    this.#old = this.#young;
    this.#young = new Map();
  }
}
