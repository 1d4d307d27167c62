import { setTimeout as pause } from 'node:timers/promises';
import type { BackendBinding } from '../../config/hosted-agents.js';
import type { Chance } from '../../kernel/chance.js';
import type { Json, JsonObject } from '../../kernel/json.js';
import { err, ok, type Result } from '../../kernel/result.js';
import type { Clock } from '../../kernel/timestamp.js';
import { LinkedSignal } from '../../threads/linked-signal.js';
import type { Backend, BackendCall, BackendFailure } from '../commands/backends.js';
import {
  AttemptFault,
  backendFailureOf,
  isRepeatable,
  isUnknown,
  wordFor,
} from './attempt-fault.js';
import { BackendCircuits } from './backend-circuits.js';
import type { BackendTokens } from './backend-tokens.js';
import type { Exchange } from './exchange.js';
import { GuardedExchange } from './guarded-exchange.js';

const MAX_ATTEMPTS = 3;

/** Before the second attempt, on average; it doubles. In milliseconds. */
const FIRST_PAUSE_MS = 100;

/**
 * A backend outside of this process. Every attempt has a token of its own, and as much time as the
 * binding and the call's deadline leave.
 *
 * A call is repeated, with growing pauses, where the binding says that it may be made twice; without
 * that only when no connection came about, since then nothing was sent. What the backend asks for in
 * `Retry-After` is waited for if the deadline leaves the time, and told to the caller otherwise.
 */
export class RemoteBackend implements Backend {
  readonly summary: JsonObject;
  readonly #circuits: BackendCircuits;
  readonly #running = new Set<AbortController>();
  #isClosed = false;

  constructor(
    private readonly binding: BackendBinding,
    private readonly exchange: Exchange,
    private readonly tokens: BackendTokens,
    private readonly clock: Clock,
    private readonly chance: Chance,
  ) {
    this.#circuits = new BackendCircuits(clock);
    this.summary = { type: binding.kind, name: binding.name };
  }

  async invoke(call: BackendCall): Promise<Result<Json, BackendFailure>> {
    let unknown: AttemptFault | undefined;
    for (let attempts = 1; ; attempts++) {
      const tried = await this.#circuits.through(call.caller, () => this.#attempt(call));
      if (tried.ok) return tried;
      const { error } = tried;
      if (isUnknown(error)) unknown = error;
      const pauseMs = this.#pauseAfter(error, attempts, call);
      if (pauseMs === undefined || !(await rested(pauseMs, call.signal))) {
        // Whatever came after it: what an attempt may have done is not undone by the next.
        return err(backendFailureOf(unknown ?? error));
      }
    }
  }

  /** Ends what is under way, and makes no further attempt. */
  close(): void {
    this.#isClosed = true;
    for (const running of this.#running) running.abort();
  }

  async #attempt(call: BackendCall): Promise<Result<Json, AttemptFault>> {
    const timeMs = Math.min(this.binding.timeoutMs, call.deadline - this.clock());
    const endedBy = (): AttemptFault => this.#endedBy(call);
    if (timeMs <= 0 || call.signal.aborted || this.#isClosed) {
      return err(new AttemptFault('not-tried', endedBy().message));
    }
    const closing = new AbortController();
    const limit = new LinkedSignal([call.signal, closing.signal], Math.ceil(timeMs));
    this.#running.add(closing);
    let rest: Promise<unknown> | undefined;
    try {
      const token = await this.#token(call);
      if (!token.ok) return token;
      const guard = new GuardedExchange({
        url: this.binding.url,
        token: token.value,
        traceparent: call.traceparent,
        signal: limit.signal,
        endedBy,
      });
      const tried = await this.#exchange(call, guard, endedBy);
      rest = guard.rest;
      return tried;
    } finally {
      const forget = (): void => {
        limit.end();
        this.#running.delete(closing);
      };
      // What outlives the answer has the attempt's time, and ends with it or with this backend.
      if (rest === undefined) forget();
      else void rest.then(forget);
    }
  }

  async #token(call: BackendCall): Promise<Result<string, AttemptFault>> {
    try {
      const token = await this.tokens.issue(call, this.binding.audience);
      return token.ok ? token : err(new AttemptFault('not-tried', token.error.code));
    } catch {
      // Which key signs is asked of the log.
      return err(new AttemptFault('not-tried', 'the log could not be asked for the signing key'));
    }
  }

  async #exchange(
    call: BackendCall,
    guard: GuardedExchange,
    endedBy: () => AttemptFault,
  ): Promise<Result<Json, AttemptFault>> {
    try {
      return ok(await this.exchange(call, guard));
    } catch (error) {
      if (error instanceof AttemptFault) return err(error);
      // A client of an SDK may have made something of its own of what went wrong.
      if (guard.fault !== null) return err(guard.fault);
      if (guard.signal.aborted) return err(endedBy());
      return err(new AttemptFault('answered', `the answer is of no use (${wordFor(error)})`));
    }
  }

  /** The call's own signal aborts at its deadline, too, and that is no cancellation. */
  #endedBy({ signal, deadline }: BackendCall): AttemptFault {
    const isGivenUp = this.#isClosed || (signal.aborted && this.clock() < deadline);
    return isGivenUp
      ? new AttemptFault('canceled', 'the call was given up')
      : new AttemptFault('timed-out', 'no answer in time');
  }

  /** Undefined: it ends here. */
  #pauseAfter(fault: AttemptFault, attempts: number, call: BackendCall): number | undefined {
    if (attempts >= MAX_ATTEMPTS || !isRepeatable(fault, this.binding.isIdempotent)) {
      return undefined;
    }
    const backOffMs = FIRST_PAUSE_MS * 2 ** (attempts - 1) * (0.5 + this.chance());
    const pauseMs = Math.max(backOffMs, (fault.retryAfterSeconds ?? 0) * 1000);
    return this.clock() + pauseMs < call.deadline ? pauseMs : undefined;
  }
}

/** False: the call was given up meanwhile. */
async function rested(pauseMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    await pause(pauseMs, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}
