import type {
  CapabilityCall,
  CapabilityImplementation,
  HandlerEvent,
} from '../handlers/capability-call.js';
import type { TaskChange } from '../tasks/domain/task.js';
import { readHandlerEvent } from '../handlers/handler-event.js';
import { TurnScript, type TurnEnding } from './turn-script.js';

/** How a handler came to its end, or was brought to it. */
export type Heard =
  | { readonly kind: 'ended'; readonly ending: TurnEnding }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'broken'; readonly how: string }
  | { readonly kind: 'stopped' };

/** Who is told while a handler speaks. */
export interface Listener {
  /** Of every event, as it was when it was said, before anything is made of it. */
  began(event: HandlerEvent): void;
  /** Resolves when there is room for more. */
  said(change: TaskChange): Promise<void>;
  /**
   * When it is not listened to any more and may run all the same.
   * @param over resolves when it does not; of one that never settles, never
   */
  left(over: Promise<void>): void;
}

/**
 * Runs a handler to its end: until it returns, throws, breaks the rules, or its signal aborts, after
 * which it is not listened to any more, whether it minds the signal or not.
 */
export async function hear(
  implementation: CapabilityImplementation,
  call: CapabilityCall,
  listener: Listener,
): Promise<Heard> {
  const script = new TurnScript();
  const { signal, grant } = call;
  const { agentId } = grant.manifest;
  const stopped = abortOf(signal);
  let iterator: AsyncIterator<HandlerEvent> | undefined;
  let asked: Promise<IteratorResult<HandlerEvent>> | undefined;
  try {
    iterator = implementation.handle(call)[Symbol.asyncIterator]();
    for (;;) {
      asked = iterator.next();
      const next = await Promise.race([asked, stopped]);
      if (next === STOPPED || signal.aborted) break;
      if (next.done === true) {
        iterator = undefined;
        return { kind: 'ended', ending: script.ending ?? { kind: 'completed' } };
      }
      const said = readHandlerEvent(next.value, agentId);
      if (!said.ok) return { kind: 'broken', how: said.error };
      listener.began(said.value);
      const change = script.read(said.value);
      if (change === null) continue;
      if ('broken' in change) return { kind: 'broken', how: change.broken };
      await listener.said(change);
    }
    return { kind: 'stopped' };
  } catch (error) {
    return signal.aborted ? { kind: 'stopped' } : { kind: 'threw', error };
  } finally {
    if (iterator !== undefined) listener.left(letGo(iterator, asked));
  }
}

/** No handler can give it. */
const STOPPED = Symbol('stopped');

function abortOf(signal: AbortSignal): Promise<typeof STOPPED> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(STOPPED);
    else signal.addEventListener('abort', () => resolve(STOPPED), { once: true });
  });
}

/** Lets it clean up; nobody minds what it throws meanwhile. Resolves when nothing of it runs any more. */
async function letGo(
  iterator: AsyncIterator<HandlerEvent>,
  asked: Promise<unknown> | undefined,
): Promise<void> {
  const cleanedUp = Promise.resolve().then(() => iterator.return?.());
  await Promise.allSettled([asked, cleanedUp]);
}
