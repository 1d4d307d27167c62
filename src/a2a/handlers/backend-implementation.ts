import { artifactOf, backendCall, outputIn, type BackendQuestion } from './backend-question.js';
import type { CapabilityCall, CapabilityImplementation, HandlerEvent } from './capability-call.js';

/**
 * A capability that has a backend and no handler, for messages that were routed to it: the backend gets
 * the data part that fits the input schema, as it would get the arguments of a direct invoke.
 */
export class BackendImplementation implements CapabilityImplementation {
  constructor(private readonly question: BackendQuestion) {}

  async *handle(admitted: CapabilityCall): AsyncGenerator<HandlerEvent, undefined> {
    const { question } = this;
    const answer = await question.backend.invoke(backendCall(admitted, question));
    const output = outputIn(admitted, question, answer);
    if (!output.ok) {
      const { text, isUnknown } = output.error;
      yield { kind: 'failed', parts: [{ text }], ...(isUnknown ? { isUnknown } : {}) };
      return;
    }
    yield artifactOf(admitted, output.value);
  }
}
