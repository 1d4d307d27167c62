import {
  circuitBreaker,
  CircuitState,
  CountBreaker,
  handleWhenResult,
  isBrokenCircuitError,
  type CircuitBreakerPolicy,
} from 'cockatiel';
import type { Json } from '../../kernel/json.js';
import { err, type Result } from '../../kernel/result.js';
import type { Clock } from '../../kernel/timestamp.js';
import { AttemptFault, type FaultKind } from './attempt-fault.js';

/** More than half of the last 20 attempts, and at least 10 of them, open the circuit... */
const WINDOW = { size: 20, threshold: 0.5, minimumNumberOfCalls: 10 };

/** ...for so long; then one attempt finds out how things are. */
const REST_SECONDS = 10;

export type Tried = Result<Json, AttemptFault>;

export interface CircuitRules {
  /** What opens it. */
  readonly ill: ReadonlySet<FaultKind>;
  /** What tells nothing: the attempt that was to find out has not found that all is well. */
  readonly undecided: ReadonlySet<FaultKind>;
  /** For how long, in milliseconds, others are refused while one attempt finds out. */
  readonly findingMs: number;
}

/** Spares a backend that is not well, and its callers the wait. */
export class Circuit {
  readonly #breaker: CircuitBreakerPolicy;
  /** Milliseconds since the epoch. */
  #findingSince = 0;

  constructor(
    private readonly rules: CircuitRules,
    private readonly clock: Clock,
  ) {
    const isIll = (tried: unknown): boolean => this.#tellsOfIllness(tried as Tried);
    this.#breaker = circuitBreaker(handleWhenResult(isIll), {
      halfOpenAfter: REST_SECONDS * 1000,
      breaker: new CountBreaker(WINDOW),
    });
    this.#breaker.onHalfOpen(() => (this.#findingSince = this.clock()));
  }

  /** Makes an attempt, unless the circuit is open: then the fault is `not-tried`. */
  async through(attempt: () => Promise<Tried>): Promise<Tried> {
    // While one attempt finds out, the others are not kept waiting for it.
    if (this.#breaker.state === CircuitState.HalfOpen) {
      return this.clock() - this.#findingSince < this.rules.findingMs ? open() : await attempt();
    }
    try {
      return await this.#breaker.execute(attempt);
    } catch (error) {
      if (isBrokenCircuitError(error)) return open();
      throw error;
    }
  }

  #tellsOfIllness(tried: Tried): boolean {
    if (tried.ok) return false;
    const { kind } = tried.error;
    if (this.rules.ill.has(kind)) return true;
    return this.rules.undecided.has(kind) && this.#breaker.state === CircuitState.HalfOpen;
  }
}

function open(): Tried {
  const fault = new AttemptFault('not-tried', 'the circuit of the backend is open', REST_SECONDS);
  return err(fault);
}
