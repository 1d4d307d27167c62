import { goOnInTurn } from '../threads/in-turn.js';
import { envelopeCharacters } from './envelope-characters.js';
import type { EventStore, RecordedEnvelope } from './port.js';

/** Events that are asked of the engine at once, at first and at most. */
const FIRST_EVENTS = 8;
const MOST_EVENTS = 32;
/** Characters of a part of more than one event. */
const PART_CHARACTERS = 64 * 1024;

/**
 * The events of one stream from a revision on, in parts that are small whatever comes after them: for
 * readers that take long over each. What an engine gives beyond a part is asked for again. Others have
 * their turn between two parts.
 */
export async function* streamParts(
  store: Pick<EventStore, 'readStream'>,
  stream: string,
  from: number,
): AsyncGenerator<readonly RecordedEnvelope[], undefined> {
  let next = from;
  let most = FIRST_EVENTS;
  for (;;) {
    const { part, isAll } = await readPart(store, stream, next, most);
    if (part.length > 0) yield part;
    if (isAll && part.length < most) return;
    next += part.length;
    most = isAll ? Math.min(2 * most, MOST_EVENTS) : part.length;
    await goOnInTurn();
  }
}

/** A call of its own: what is not of the part is held by nobody afterwards. */
async function readPart(
  store: Pick<EventStore, 'readStream'>,
  stream: string,
  from: number,
  most: number,
): Promise<{ readonly part: readonly RecordedEnvelope[]; readonly isAll: boolean }> {
  const events = await store.readStream(stream, from, most);
  let characters = 0;
  const end = events.findIndex((event, index) => {
    characters += envelopeCharacters(event);
    return index > 0 && characters > PART_CHARACTERS;
  });
  return end === -1 ? { part: events, isAll: true } : { part: events.slice(0, end), isAll: false };
}
