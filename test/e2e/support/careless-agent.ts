import type {
  CapabilityCall,
  CapabilityImplementation,
  HandlerEvent,
} from '../../../src/a2a/handlers/capability-call.js';
import { CapabilityHandler } from '../../../src/a2a/handlers/capability-handler.js';

/** What a message to the careless agent may be. */
export type Carelessness = 'reuses' | 'changes-message' | 'changes-limits' | keyof typeof NO_PARTS;

/** What no types would let through; handlers may be plain JavaScript. */
const NO_PARTS = {
  bigint: { data: 10n },
  function: { data: () => 1 },
  nan: { data: { n: NaN } },
  number: { text: 5 },
  'half-an-emoji': { text: '😀'.slice(0, 1) },
};

/** As handlers are written that know neither types nor what becomes of what they give. */
@CapabilityHandler('e2e.careless')
class CarelessAgent implements CapabilityImplementation {
  async *handle({ message, grant }: CapabilityCall): AsyncGenerator<HandlerEvent, undefined> {
    const how = message.parts[0]?.text as Carelessness;
    const part: { text: string } = { text: '' };
    const artifact = { artifactId: 'log', parts: [part] };
    switch (how) {
      case 'reuses':
        for (part.text of ['one', 'two', 'three', 'four']) {
          yield { kind: 'artifact', artifact, append: true };
        }
        break;
      case 'changes-message':
        (message.parts[0] as { text: string }).text = 'something else';
        break;
      case 'changes-limits':
        (grant.manifest.limits as Record<string, number>)['max_concurrent'] = 0;
        break;
      case 'bigint':
      case 'function':
      case 'nan':
      case 'number':
      case 'half-an-emoji':
        part.text = 'said before';
        yield { kind: 'artifact', artifact };
        yield { kind: 'working', parts: [NO_PARTS[how]] } as unknown as HandlerEvent;
    }
    yield await Promise.resolve({ kind: 'completed' });
  }
}

/** What a file of hosted agents names this module for. */
export const handlers = [CarelessAgent];
