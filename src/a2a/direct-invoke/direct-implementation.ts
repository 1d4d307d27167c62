import type { SchemaJudge } from '../../capabilities/queries/schemas/schema-judge.js';
import type { Backend, BackendCall, BackendFailure } from '../../invocations/commands/backends.js';
import type { Json } from '../../kernel/json.js';
import type {
  CapabilityCall,
  CapabilityImplementation,
  HandlerEvent,
} from '../handlers/capability-call.js';
import type { DirectCall } from './direct-call.js';
import { failureMetadata, type DirectFailure } from './direct-failure.js';

/** What one direct invoke is made of, besides the call that is admitted for it. */
export interface DirectInvocation {
  /** URI of the extension. */
  readonly uri: string;
  readonly call: DirectCall;
  readonly backend: Backend;
  /** By the output schema; null when that does not compile: then nothing fits. */
  readonly output: SchemaJudge | null;
  readonly traceparent: string | null;
  /** Milliseconds of a clock that only goes forward. */
  readonly stopwatch: () => number;
  /** By the stopwatch: when the request came in. */
  readonly receivedAt: number;
  /** For operators alone: what the backend said of its failure. */
  readonly report: (line: string, about: Readonly<Record<string, unknown>>) => void;
}

/** Where the result of a direct invoke stands (RFC section 3.6). */
const ARTIFACT_ID = 'result';

/**
 * Calls a backend and nothing else: no model plans, nothing is retried here. Says one artifact and
 * the end, so that a stream is `submitted`, artifact, `completed`.
 */
export class DirectImplementation implements CapabilityImplementation {
  constructor(private readonly invocation: DirectInvocation) {}

  async *handle(admitted: CapabilityCall): AsyncGenerator<HandlerEvent, undefined> {
    const { uri, call, backend, output, stopwatch, receivedAt } = this.invocation;
    const began = stopwatch();
    const answer = await backend.invoke(this.#backendCall(admitted));
    const ended = stopwatch();
    if (!answer.ok) {
      yield this.#failed(admitted, answer);
      return;
    }
    const { value } = answer;
    if (output?.fits(value) !== true) {
      yield this.#outputInvalid(admitted, value);
      return;
    }
    const [mediaType = 'application/json'] = admitted.grant.outputModes;
    const parts = [{ data: value, mediaType }];
    yield { kind: 'artifact', artifact: { artifactId: ARTIFACT_ID, parts }, lastChunk: true };
    const metrics = {
      serverDispatchLatencyMs: milliseconds(began - receivedAt + (stopwatch() - ended)),
      backendLatencyMs: milliseconds(ended - began),
      llmPlanningLatencyMs: 0,
      inputTokens: 0,
      outputTokens: 0,
      totalTokens: 0,
    };
    const { callId, traceId } = call;
    const said = { callId, ...(traceId === null ? {} : { traceId }), metrics };
    yield { kind: 'completed', metadata: { [uri]: said } };
  }

  #backendCall({ caller, grant, signal }: CapabilityCall): BackendCall {
    const { call, traceparent } = this.invocation;
    const { agentId, requiresScopes } = grant.manifest;
    return {
      invocationId: grant.invocationId,
      agentId,
      skillId: call.skillId,
      arguments: call.arguments,
      caller,
      scopes: requiresScopes.filter((scope) => caller?.allScopes.has(scope) === true),
      terms: grant.terms,
      traceId: call.traceId,
      traceparent,
      deadline: grant.deadline,
      signal,
    };
  }

  #failed(admitted: CapabilityCall, { error }: { readonly error: BackendFailure }): HandlerEvent {
    const { kind, detail, retryAfterSeconds } = error;
    const retry = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
    if (kind === 'failed') {
      this.#report(admitted, 'backend failed', { detail });
      return this.#failure(SENTENCES.failed, { code: 'BACKEND_FAILED', refusal: null, ...retry });
    }
    const { code: refusal, isUnknown } = error;
    this.#report(admitted, 'backend unavailable', { code: refusal, detail });
    const sentence = isUnknown ? SENTENCES.unknown : SENTENCES.unavailable;
    const failure = { code: 'BACKEND_UNAVAILABLE', refusal, ...retry } as const;
    return this.#failure(sentence, failure, isUnknown);
  }

  /** Pointers and no values: what does not fit may be anything. */
  #outputInvalid(admitted: CapabilityCall, value: Json): HandlerEvent {
    this.#report(admitted, 'output does not fit its schema', {
      faults: this.invocation.output?.faults(value) ?? 'the schema does not compile',
    });
    return this.#failure(SENTENCES.unfit, { code: 'OUTPUT_INVALID', refusal: null });
  }

  #report({ grant }: CapabilityCall, line: string, about: Readonly<Record<string, unknown>>): void {
    const { handler, agentId, id } = grant.manifest;
    const { invocationId } = grant;
    this.invocation.report(line, { invocationId, agentId, skillId: id, handler, ...about });
  }

  #failure(text: string, failure: DirectFailure, isUnknown = false): HandlerEvent {
    const { uri, call } = this.invocation;
    const metadata = failureMetadata(uri, call, failure);
    return { kind: 'failed', parts: [{ text }], metadata, ...(isUnknown ? { isUnknown } : {}) };
  }
}

/** All that a caller is told: what a backend says of itself is not for callers. */
const SENTENCES = {
  unavailable: 'The backend of the skill is not available; nothing was done.',
  unknown: 'The backend of the skill gave no answer; what it was asked for may have been done.',
  failed: 'The backend of the skill has failed.',
  unfit: 'What the backend answered does not fit the output schema of the skill.',
} as const;

/** To a microsecond; clocks of processes may be apart, but nothing takes less than no time. */
function milliseconds(value: number): number {
  return Math.max(0, Math.round(value * 1000) / 1000);
}
