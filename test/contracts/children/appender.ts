/**
 * Appends batches of one to three events to its streams, all streams at once, and says of each
 * batch once it is acknowledged: `stream first-revision id,id,…`.
 */
import { randomUUID } from 'node:crypto';
import { EventStoreUnavailable, type EventStore } from '../../../src/event-store/port.js';
import { envelopes } from '../support/envelopes.js';
import type { Elsewhere } from '../support/child.js';
import { actualOf } from '../support/reading.js';
import { argument, endWithParent, say } from './child-life.js';

export interface AppenderTask {
  readonly log: Elsewhere;
  readonly streams: readonly string[];
  /** Batches per stream; without a number it goes on until it is killed. */
  readonly batches?: number;
  /** Ends in good order, with the word `unavailable`, once the store fails. */
  readonly untilUnavailable?: boolean;
  /** Does not end, nor close the log, when all is appended. */
  readonly thenWaits?: boolean;
}

const { log, streams, batches = Infinity, untilUnavailable, thenWaits } = argument<AppenderTask>();
endWithParent();
const { open } = (await import(log.module)) as { open(address: string): Promise<EventStore> };
const store = await open(log.address);
// A file at its size limit raises a signal too, which would end the process.
if (untilUnavailable === true) process.on('SIGXFSZ', () => undefined);

async function fill(stream: string): Promise<void> {
  let head = (await store.readStream(stream)).length - 1;
  for (let done = 0; done < batches;) {
    const size = 1 + (done % 3);
    const batch = envelopes(size, { batch: randomUUID(), size });
    const appended = await store.append(stream, head === -1 ? 'no-stream' : head, batch);
    if (appended.ok) {
      head = appended.value.revision;
      done++;
      say(`${stream} ${String(head - size + 1)} ${batch.map(({ id }) => id).join(',')}`);
    } else {
      head = actualOf(appended.error);
    }
  }
}

const outcomes = await Promise.allSettled(streams.map(fill));
for (const outcome of outcomes) {
  if (outcome.status === 'fulfilled') continue;
  const isAwaited = untilUnavailable === true && outcome.reason instanceof EventStoreUnavailable;
  if (!isAwaited) throw outcome.reason;
}
if (untilUnavailable === true) {
  say('unavailable');
  process.exit(0);
}
if (thenWaits === true) await new Promise((resolve) => setTimeout(resolve, 600_000));
await store.close();
