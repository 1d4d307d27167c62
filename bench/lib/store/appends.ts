import { randomBytes, randomUUID } from 'node:crypto';
import type { NewEnvelope } from '../../../src/kernel/envelope.js';
import type { EventStore } from '../../../src/event-store/port.js';
import { sampleEnvelope } from '../sample-envelope.js';
import { quantile } from '../statistics.js';

/** Appends at an exact revision (of the event before, -1 for none), durable once it resolves. */
export type Append = (
  writer: number,
  stream: string,
  after: number,
  events: readonly NewEnvelope[],
) => Promise<void>;

export interface Load {
  readonly writers: number;
  readonly eventsPerAppend: number;
  readonly milliseconds: number;
}

export interface Rate {
  readonly eventsPerSecond: number;
  readonly p50Ms: number;
}

const APPENDS_PER_STREAM = 4;

/** Writers that each fill one stream after the other, one append at a time. */
export async function rateOf(
  append: Append,
  { writers, eventsPerAppend, milliseconds }: Load,
): Promise<Rate> {
  const latencies: number[] = [];
  const begun = performance.now();
  const deadline = begun + milliseconds;
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      for (let stream = '', after = -1, count = 0; performance.now() < deadline; count++) {
        if (count % APPENDS_PER_STREAM === 0) {
          stream = `interaction-${randomUUID()}`;
          after = -1;
        }
        const events = Array.from({ length: eventsPerAppend }, () => sampleEnvelope(randomBytes));
        const sent = performance.now();
        await append(writer, stream, after, events);
        latencies.push(performance.now() - sent);
        after += eventsPerAppend;
      }
    }),
  );
  const seconds = (performance.now() - begun) / 1000;
  const eventsPerSecond = (latencies.length * eventsPerAppend) / seconds;
  return { eventsPerSecond, p50Ms: quantile(latencies, 0.5) };
}

export function throughStore(store: Pick<EventStore, 'append'>): Append {
  return async (_, stream, after, events) => {
    const appended = await store.append(stream, after === -1 ? 'no-stream' : after, events);
    if (!appended.ok) throw new Error('the benchmark lost a race that it does not run');
  };
}
