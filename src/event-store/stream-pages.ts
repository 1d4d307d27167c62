import { goOnInTurn } from '../threads/in-turn.js';
import { envelopeCharacters } from './envelope-characters.js';
import type { EventStore, RecordedEnvelope } from './port.js';

/** Events that are asked of the engine at once: as many at first, while it is not known how large they are … */
export const FIRST_EVENTS = 8;
/** … and as many at most. */
const MOST_EVENTS = 32;
/**
 * Characters that a page should not go far beyond. An engine is asked for a number of events, so they are
 * judged by the largest of the page before.
 */
const PAGE_CHARACTERS = 1024 * 1024;

/**
 * The events of one stream from a revision on, at most `count` of them, page by page: each is read when it
 * is asked for, and others have their turn in between. What is held is a page, however long the stream is.
 *
 * @param first the answer to a question for the first {@link FIRST_EVENTS}, where the caller has it
 */
export async function* streamPages(
  store: Pick<EventStore, 'readStream'>,
  stream: string,
  from = 0,
  { count = Infinity, first }: { count?: number; first?: readonly RecordedEnvelope[] } = {},
): AsyncGenerator<readonly RecordedEnvelope[], undefined> {
  const end = from + count;
  let next = from;
  let most = FIRST_EVENTS;
  let given = first;
  while (next < end) {
    const limit = Math.min(most, end - next);
    const events = given ?? (await store.readStream(stream, next, limit));
    given = undefined;
    if (events.length > 0) yield events;
    if (events.length < limit) return;
    next += events.length;
    most = following(events);
    await goOnInTurn();
  }
}

/** How many to ask for after these: soon few where they are large, gradually more where they are small. */
function following(events: readonly RecordedEnvelope[]): number {
  const largest = events.reduce((most, each) => Math.max(most, envelopeCharacters(each)), 1);
  const fitting = Math.max(1, Math.floor(PAGE_CHARACTERS / largest));
  return Math.min(fitting, 2 * events.length, MOST_EVENTS);
}
