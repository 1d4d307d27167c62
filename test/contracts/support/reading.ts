import type {
  AppendConflict,
  EventStore,
  Position,
  RecordedEnvelope,
  SubscriptionMessage,
} from '../../../src/event-store/port.js';
import { START } from '../../../src/event-store/port.js';
import type { Result } from '../../../src/kernel/result.js';

/** The value of a result that must not be a refusal. */
export function value<T>(result: Result<T, unknown>): T {
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.error)}`);
  return result.value;
}

/** Where a stream is instead, -1 for no stream; for appends that rest on no other. */
export function actualOf(conflict: AppendConflict): number {
  if (conflict.code === 'basis-moved') throw new Error('nothing was asked of another stream');
  return conflict.actual === 'no-stream' ? -1 : conflict.actual;
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

export async function readEverything(store: EventStore): Promise<RecordedEnvelope[]> {
  return collect(store.readAll(START));
}

export function positionsOf(events: readonly RecordedEnvelope[]): Position[] {
  return events.map(({ position }) => position);
}

export function idsOf(events: readonly { readonly id: string }[]): string[] {
  return events.map(({ id }) => id);
}

/** A subscription that a test pulls by hand. */
export class Reader {
  readonly #messages: AsyncIterator<SubscriptionMessage>;

  constructor(messages: AsyncIterable<SubscriptionMessage>) {
    this.#messages = messages[Symbol.asyncIterator]();
  }

  /** The next message, undefined once the subscription has ended. */
  async next(): Promise<SubscriptionMessage | undefined> {
    const { done, value: message } = await this.#messages.next();
    return done === true ? undefined : message;
  }

  /** The next so many events, caught-up messages left out. */
  async events(count: number): Promise<RecordedEnvelope[]> {
    const events: RecordedEnvelope[] = [];
    while (events.length < count) {
      const message = await this.next();
      if (message === undefined) throw new Error('the subscription ended');
      if (message.kind === 'event') events.push(message.event);
    }
    return events;
  }

  /** All events up to the next caught-up message, and that message's position. */
  async untilCaughtUp(): Promise<{ events: RecordedEnvelope[]; position: Position }> {
    const events: RecordedEnvelope[] = [];
    for (;;) {
      const message = await this.next();
      if (message === undefined) throw new Error('the subscription ended');
      if (message.kind === 'caught-up') return { events, position: message.position };
      events.push(message.event);
    }
  }

  async stop(): Promise<void> {
    await this.#messages.return?.();
  }
}

/** Fails instead of hanging. */
export async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`not within ${String(milliseconds)} ms`));
    }, milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** How often the event loop came round while something was done. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isWorking = true;
  const turn = (): void => {
    turns++;
    if (isWorking) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isWorking = false;
  return turns;
}
