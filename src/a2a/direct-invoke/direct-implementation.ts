import type {
  CapabilityCall,
  CapabilityImplementation,
  HandlerEvent,
} from '../handlers/capability-call.js';
import {
  artifactOf,
  backendCall,
  outputIn,
  type BackendQuestion,
  type NoOutput,
} from '../handlers/backend-question.js';
import type { DirectCall } from './direct-call.js';
import { failureMetadata } from './direct-failure.js';

/** What one direct invoke is made of, besides the call that is admitted for it. */
export interface DirectInvocation extends Pick<
  BackendQuestion,
  'backend' | 'output' | 'traceparent' | 'report'
> {
  /** URI of the extension. */
  readonly uri: string;
  readonly call: DirectCall;
  /** Milliseconds of a clock that only goes forward. */
  readonly stopwatch: () => number;
  /** By the stopwatch: when the request came in. */
  readonly receivedAt: number;
}

/**
 * Calls a backend and nothing else: no model plans, nothing is retried here. Says one artifact and
 * the end, so that a stream is `submitted`, artifact, `completed`.
 */
export class DirectImplementation implements CapabilityImplementation {
  constructor(private readonly invocation: DirectInvocation) {}

  async *handle(admitted: CapabilityCall): AsyncGenerator<HandlerEvent, undefined> {
    const { uri, call, stopwatch, receivedAt } = this.invocation;
    const question = { arguments: call.arguments, traceId: call.traceId, ...this.invocation };
    const began = stopwatch();
    const answer = await question.backend.invoke(backendCall(admitted, question));
    const ended = stopwatch();
    const output = outputIn(admitted, question, answer);
    if (!output.ok) {
      yield this.#failure(output.error);
      return;
    }
    yield artifactOf(admitted, output.value);
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

  #failure({ text, isUnknown, ...failure }: NoOutput): HandlerEvent {
    const { uri, call } = this.invocation;
    const metadata = failureMetadata(uri, call, failure);
    return { kind: 'failed', parts: [{ text }], metadata, ...(isUnknown ? { isUnknown } : {}) };
  }
}

/** To a microsecond; clocks of processes may be apart, but nothing takes less than no time. */
function milliseconds(value: number): number {
  return Math.max(0, Math.round(value * 1000) / 1000);
}
