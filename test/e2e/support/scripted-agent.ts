import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type {
  CapabilityCall,
  CapabilityImplementation,
  HandlerEvent,
} from '../../../src/a2a/handlers/capability-call.js';
import { CapabilityHandler } from '../../../src/a2a/handlers/capability-handler.js';
import {
  DirectInvokeHandler,
  type DirectInvokeCall,
  type DirectInvokeImplementation,
} from '../../../src/invocations/backends/direct-invoke-handler.js';
import type { Json } from '../../../src/kernel/json.js';
import { SUM_SUMMARY } from './sum.js';
import type { Script, Step } from './script.js';

/** Does what the message says, so that every test can have the agent that it needs, in any process. */
@CapabilityHandler('e2e.scripted')
class ScriptedAgent implements CapabilityImplementation {
  async *handle({ message, signal }: CapabilityCall): AsyncGenerator<HandlerEvent, undefined> {
    const { steps, journal } = message.parts[0]?.data as unknown as Script;
    const note = (what: string): void => {
      if (journal !== null) appendFileSync(journal, `${what} ${message.messageId}\n`);
    };
    note('began');
    try {
      for (const step of steps) {
        const event = await eventOf(step, signal);
        if (event !== undefined) yield event;
      }
    } finally {
      note(signal.aborted ? 'stopped' : 'ended');
    }
  }
}

async function eventOf(step: Step, signal: AbortSignal): Promise<HandlerEvent | undefined> {
  if (typeof step === 'string') return { kind: step };
  if ('say' in step) {
    const artifact = { artifactId: step.say, parts: [{ text: step.say }] };
    return { kind: 'artifact', artifact, lastChunk: true };
  }
  if ('answer' in step) return { kind: 'message', parts: [{ text: step.answer }] };
  if ('wait' in step) await delay(step.wait, undefined, { signal });
  else if ('stubbornUntil' in step) while (!existsSync(step.stubbornUntil)) await delay(10);
  else while (!existsSync(step.until)) await delay(10, undefined, { signal });
  return undefined;
}

/** Says which capability ran. */
@CapabilityHandler('e2e.named')
class NamedAgent implements CapabilityImplementation {
  async *handle({ grant }: CapabilityCall): AsyncGenerator<HandlerEvent, undefined> {
    yield await Promise.resolve({
      kind: 'completed',
      parts: [{ text: `ran ${grant.manifest.id}` }],
    });
  }
}

/** Gives the token with which it would ask further. */
@CapabilityHandler('e2e.asks-further')
class AskingAgent implements CapabilityImplementation {
  async *handle({ token }: CapabilityCall): AsyncGenerator<HandlerEvent, undefined> {
    const parts = [{ data: { token: await token('https://erp.example') } }];
    yield { kind: 'artifact', artifact: { artifactId: 'token', parts } };
  }
}

/** Sums two numbers, as far as it is not told to fail. */
@DirectInvokeHandler('e2e.sum', { summary: SUM_SUMMARY })
class SumBackend implements DirectInvokeImplementation {
  async invoke({ arguments: { a, b, how } }: DirectInvokeCall): Promise<Json> {
    if (how === 'fail') throw new Error('db7.internal:5432 refused');
    return Promise.resolve(
      how === 'unfit' ? { sum: 'db7.internal' } : { sum: Number(a) + Number(b) },
    );
  }
}

/** What a file of hosted agents names this module for. */
export const handlers = [ScriptedAgent, NamedAgent, AskingAgent, SumBackend];
