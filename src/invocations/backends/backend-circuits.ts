import { LRUCache } from 'lru-cache';
import { countedAs, type Caller } from '../../kernel/caller.js';
import type { Clock } from '../../kernel/timestamp.js';
import { Circuit, type CircuitRules, type Tried } from './circuit.js';

/** Of one backend; whoever is forgotten begins with a closed one. */
const REMEMBERED_CALLERS = 1000;

/** No client waits longer for a connection, so an attempt that is still under way then has one. */
const LONGEST_CONNECTING_MS = 10_000;

/**
 * Nothing was sent, so it cannot lie in what anybody asks for. Whatever else an attempt comes to, also
 * that it was given up, does not keep the circuit open: who always gets that could shut out everybody.
 */
const OF_ALL: CircuitRules = {
  ill: new Set(['unsent']),
  undecided: new Set(),
  findingMs: LONGEST_CONNECTING_MS,
};

/** What the backend made of a call, which may lie in the call. */
const OF_ONE: CircuitRules = {
  ill: new Set(['lost', 'broken', 'timed-out']),
  undecided: new Set(['unsent', 'canceled', 'not-tried']),
  findingMs: Infinity,
};

/**
 * The circuits of one backend. One is everybody's, and only attempts that never got a connection open
 * it: a backend that is not there is left alone by all. Each caller has another one for the attempts
 * that the backend got and did not answer well, so that nobody's calls, however they fail, close it to
 * another caller. A backend at which all fail is found out by each.
 */
export class BackendCircuits {
  readonly #ofAll: Circuit;
  readonly #ofCallers = new LRUCache<string, Circuit>({ max: REMEMBERED_CALLERS });

  constructor(private readonly clock: Clock) {
    this.#ofAll = new Circuit(OF_ALL, clock);
  }

  /** Makes a caller's attempt, unless a circuit is open: then the fault is `not-tried`. */
  async through(caller: Caller | null, attempt: () => Promise<Tried>): Promise<Tried> {
    // The caller's first: what it refuses must not be the attempt that finds out for all.
    return await this.#of(caller).through(async () => await this.#ofAll.through(attempt));
  }

  #of(caller: Caller | null): Circuit {
    const key = countedAs(caller);
    let circuit = this.#ofCallers.get(key);
    if (circuit === undefined) {
      circuit = new Circuit(OF_ONE, this.clock);
      this.#ofCallers.set(key, circuit);
    }
    return circuit;
  }
}
