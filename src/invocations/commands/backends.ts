import type { Caller } from '../../kernel/caller.js';
import type { AgentId, SkillId, Uuid } from '../../kernel/ids.js';
import type { Json, JsonObject } from '../../kernel/json.js';
import type { Result } from '../../kernel/result.js';
import type { GoverningTerms } from '../domain/authorization.js';

/** One admitted call, as its backend gets it. */
export interface BackendCall {
  readonly invocationId: Uuid;
  /** The hosted agent. */
  readonly agentId: AgentId;
  readonly skillId: SkillId;
  /** Valid under the capability's input schema. */
  readonly arguments: JsonObject;
  /** Null: no token. */
  readonly caller: Caller | null;
  /** What the backend may know the caller to be allowed: required by the capability and the caller's. */
  readonly scopes: readonly string[];
  /** Null: no contract was needed. */
  readonly terms: GoverningTerms | null;
  readonly traceId: string | null;
  readonly traceparent: string | null;
  /** Milliseconds since the epoch; the signal aborts then, too. */
  readonly deadline: number;
  readonly signal: AbortSignal;
}

/**
 * Why a backend gave no answer: the inner codes that callers are told.
 *
 * Nothing was done:
 * - `backend-not-tried`: it was not well just before, nothing could be signed, or there was no time left
 * - `backend-not-reached`: no connection came about
 * - `backend-busy`: it did not take the call (429)
 *
 * Nobody knows what was done:
 * - `backend-lost`: the connection broke
 * - `backend-timed-out`: no answer in time
 * - `backend-broken`: it says that it is the one to blame (5xx)
 * - `backend-unfinished`: it says that it is still at it
 * - `backend-canceled`: nobody waited for the answer any more
 */
export type BackendFailureCode =
  | 'backend-not-tried'
  | 'backend-not-reached'
  | 'backend-busy'
  | 'backend-lost'
  | 'backend-timed-out'
  | 'backend-broken'
  | 'backend-unfinished'
  | 'backend-canceled';

/** `unavailable`: it gave no answer; `failed`: it answered with a failure, or with what is no output. */
export type BackendFailure = (
  | { readonly kind: 'failed' }
  | {
      readonly kind: 'unavailable';
      readonly code: BackendFailureCode;
      /** Nobody knows what it did, in any of its attempts; false: it did nothing. */
      readonly isUnknown: boolean;
    }
) & {
  /** For operators and logs alone: never shown to a caller. */
  readonly detail: string;
  readonly retryAfterSeconds?: number;
};

/** A trusted implementation of direct invocations, bound by the deployment under a handler's name. */
export interface Backend {
  /** What a card may say of it; a manifest's `direct_invoke.backend` must equal it. */
  readonly summary: JsonObject;
  /**
   * Never throws. Resolves when nothing of it runs here any more, which of one in this process may be
   * long after its signal. The output is not yet checked against the output schema.
   */
  invoke(call: BackendCall): Promise<Result<Json, BackendFailure>>;
}

/** The backends of this process, by hosted agent and the handler names of manifests. */
export abstract class Backends {
  abstract get(agentId: AgentId, handler: string): Backend | undefined;
}
