import type { CapabilityCall, CapabilityImplementation, HandlerEvent } from './capability-call.js';
import type { TaskChange } from '../tasks/domain/task.js';
import { TurnScript, type TurnEnding } from './turn-script.js';

/** How a handler came to its end, or was brought to it. */
export type Heard =
  | { readonly kind: 'ended'; readonly ending: TurnEnding }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'broken'; readonly how: string }
  | { readonly kind: 'stopped' };

/** Who is told while a handler speaks. */
export interface Listener {
  /** Of every event, before it is looked at. */
  began(event: HandlerEvent): void;
  /** Resolves when there is room for more. */
  said(change: TaskChange): Promise<void>;
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
  const { signal } = call;
  const stopped = abortOf(signal);
  let iterator: AsyncIterator<HandlerEvent> | undefined;
  try {
    iterator = implementation.handle(call)[Symbol.asyncIterator]();
    for (;;) {
      const next = await Promise.race([iterator.next(), stopped]);
      if (next === undefined || signal.aborted) break;
      if (next.done === true) {
        iterator = undefined;
        return { kind: 'ended', ending: script.ending ?? { kind: 'completed' } };
      }
      listener.began(next.value);
      const change = script.read(next.value);
      if (change === null) continue;
      if ('broken' in change) return { kind: 'broken', how: change.broken };
      await listener.said(change);
    }
    return { kind: 'stopped' };
  } catch (error) {
    return signal.aborted ? { kind: 'stopped' } : { kind: 'threw', error };
  } finally {
    if (iterator !== undefined) letGo(iterator);
  }
}

function abortOf(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

/** Lets it clean up; nobody waits for that, and nobody minds what it throws meanwhile. */
function letGo(iterator: AsyncIterator<HandlerEvent>): void {
  void Promise.resolve()
    .then(() => iterator.return?.())
    .catch(() => undefined);
}
