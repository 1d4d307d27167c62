import type { EventStore, Position, RecordedEnvelope } from '../../event-store/port.js';
import { START } from '../../event-store/port.js';
import { streamPages } from '../../event-store/stream-pages.js';

type Streams = Pick<EventStore, 'readStream' | 'readLast'>;

/**
 * The events of one stream after a position, read as they are taken: a reader that stops early has
 * cost no more than that, however long the stream is.
 */
export async function* eventsOfStream(
  store: Streams,
  stream: string,
  after: Position,
): AsyncGenerator<RecordedEnvelope, undefined> {
  const first = await firstRevisionAfter(store, stream, after);
  for await (const events of streamPages(store, stream, first)) yield* events;
}

/**
 * The revision of a stream's first event after a position, the one to come when there is none: found
 * by halving, since within a stream positions grow with the revisions.
 */
async function firstRevisionAfter(
  store: Streams,
  stream: string,
  after: Position,
): Promise<number> {
  if (after === START) return 0;
  const last = await store.readLast(stream);
  if (last === undefined) return 0;
  if (last.position <= after) return last.revision + 1;
  let first = 0;
  let end = last.revision;
  while (first < end) {
    const middle = Math.floor((first + end) / 2);
    const [event] = await store.readStream(stream, middle, 1);
    if (event !== undefined && event.position <= after) first = middle + 1;
    else end = middle;
  }
  return first;
}
