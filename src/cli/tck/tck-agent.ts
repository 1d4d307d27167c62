import { setTimeout as delay } from 'node:timers/promises';
import type {
  CapabilityCall,
  CapabilityImplementation,
  HandlerEvent,
} from '../../a2a/handlers/capability-call.js';
import { CapabilityHandler } from '../../a2a/handlers/capability-handler.js';
import { scenarioOf } from './scenarios.js';

/** The agent under test of the technology compatibility kit of A2A. For `npm run start:tck` alone. */
@CapabilityHandler('tck.v1')
class TckAgent implements CapabilityImplementation {
  async *handle({ message, signal }: CapabilityCall): AsyncGenerator<HandlerEvent, undefined> {
    for (const step of scenarioOf(message.messageId)) {
      if (step.kind === 'wait') await delay(step.milliseconds, undefined, { signal });
      else yield step;
    }
  }
}

/** What a file of hosted agents names this module for. */
export const handlers = [TckAgent];
