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
import { AttemptFault, isIllness } from './attempt-fault.js';

/** More than half of the last 20 attempts, and at least 10 of them, open the circuit... */
const WINDOW = { size: 20, threshold: 0.5, minimumNumberOfCalls: 10 };

/** ...for so long; then one attempt finds out how things are. */
const REST_SECONDS = 10;

type Tried = Result<Json, AttemptFault>;

/**
 * Spares a backend that is not well, and its callers the wait. A share of the attempts decides, so
 * that no caller whose calls alone fail closes a backend to the others.
 */
export class Circuit {
  readonly #breaker: CircuitBreakerPolicy;

  constructor() {
    const isIll = (tried: unknown): boolean => this.#tellsOfIllness(tried as Tried);
    this.#breaker = circuitBreaker(handleWhenResult(isIll), {
      halfOpenAfter: REST_SECONDS * 1000,
      breaker: new CountBreaker(WINDOW),
    });
  }

  /** Makes an attempt, unless the circuit is open: then the fault is `not-tried`. */
  async through(attempt: () => Promise<Tried>): Promise<Tried> {
    // While one attempt finds out, the others are not kept waiting for it.
    if (this.#breaker.state === CircuitState.HalfOpen) return open();
    try {
      return await this.#breaker.execute(attempt);
    } catch (error) {
      if (isBrokenCircuitError(error)) return open();
      throw error;
    }
  }

  /** An attempt that was to find out, and was not made or given up, has not found that all is well. */
  #tellsOfIllness(tried: Tried): boolean {
    if (tried.ok) return false;
    if (isIllness(tried.error)) return true;
    const isUndecided = tried.error.kind === 'canceled' || tried.error.kind === 'not-tried';
    return isUndecided && this.#breaker.state === CircuitState.HalfOpen;
  }
}

function open(): Tried {
  const fault = new AttemptFault('not-tried', 'the circuit of the backend is open', REST_SECONDS);
  return err(fault);
}
