import { decodeEvent } from '../../event-store/codec.js';
import type { EventStore, Position, RecordedEnvelope } from '../../event-store/port.js';
import { streamPages } from '../../event-store/stream-pages.js';
import type { Recorded } from '../../kernel/event.js';
import type { StoredTaskEvent } from './domain/events.js';
import { evolveTask, type TaskFoldState } from './domain/evolve.js';
import type { TaskFold } from './domain/task-fold.js';
import { TASK_EVENT_TYPES } from './event-types.js';

/** A fold, and the position of its last event: no other event is ever given it. */
export interface PlacedFold {
  readonly fold: TaskFold;
  readonly position: Position;
}

/** Of an event; once it fails it fails for all that come after. */
export type Condition = (event: Pick<RecordedEnvelope, 'revision' | 'position'>) => boolean;

/**
 * The task folded over the leading events that satisfy a condition, page by page: what is held besides
 * it is a page, however long its stream is.
 *
 * @param known what is known of it; the stream may have been deleted since, and begun anew
 */
export async function foldedStream(
  store: EventStore,
  stream: string,
  known: PlacedFold | undefined,
  condition: Condition = () => true,
): Promise<PlacedFold | undefined> {
  const placed = await folded(store, stream, known, condition);
  if (placed !== 'another') return placed;
  return await foldedStream(store, stream, undefined, condition);
}

/** An event of a task, and its position: no other event is ever given it. */
export interface PlacedEvent {
  readonly event: Recorded<StoredTaskEvent>;
  readonly position: Position;
}

export function decodeTaskEvents(
  envelopes: readonly RecordedEnvelope[],
): Recorded<StoredTaskEvent>[] {
  return envelopes.map(decodeTaskEvent);
}

/** Nothing in the task store is sealed. */
export function decodeTaskEvent(envelope: RecordedEnvelope): Recorded<StoredTaskEvent> {
  return decodeEvent<StoredTaskEvent>(envelope, TASK_EVENT_TYPES, undefined);
}

/** @returns `another` when the stream is not the known one, or did not stay the same from page to page */
async function folded(
  store: EventStore,
  stream: string,
  known: PlacedFold | undefined,
  condition: Condition,
): Promise<PlacedFold | undefined | 'another'> {
  let placed = known;
  let first: RecordedEnvelope | undefined;
  let reads = 0;
  const counted: Pick<EventStore, 'readStream'> = {
    readStream: (...asked) => {
      reads++;
      return store.readStream(...asked);
    },
  };
  for await (const page of streamPages(counted, stream, known?.fold.revision)) {
    let news = page;
    if (first === undefined) {
      [first] = page;
      if (known !== undefined && first?.position !== known.position) return 'another';
      if (known !== undefined) news = page.slice(1);
    }
    const end = news.findIndex((envelope) => !condition(envelope));
    placed = foldOver(placed, end === -1 ? news : news.slice(0, end));
    if (end !== -1) break;
  }
  if (first === undefined) return known === undefined ? undefined : 'another';
  if (reads === 1) return placed;
  const [still] = await store.readStream(stream, first.revision, 1);
  return still?.position === first.position ? placed : 'another';
}

function foldOver(
  on: PlacedFold | undefined,
  envelopes: readonly RecordedEnvelope[],
): PlacedFold | undefined {
  const last = envelopes.at(-1);
  if (last === undefined) return on;
  const events = decodeTaskEvents(envelopes);
  const fold = events.reduce<TaskFoldState>(evolveTask, on?.fold ?? null);
  return fold === null ? undefined : { fold, position: last.position };
}
