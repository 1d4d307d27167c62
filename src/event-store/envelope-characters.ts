import type { EventEnvelope } from '../kernel/envelope.js';
import type { Json } from '../kernel/json.js';

/** Quotes, separators, numbers and the like: about so much per value. */
const PER_VALUE = 4;

/**
 * About how many characters of JSON an event is, without writing it: what varies from event to event,
 * its sealed texts and its data. For bounds on what is held in memory at once.
 */
export function envelopeCharacters({
  sealed,
  data,
}: Pick<EventEnvelope, 'sealed' | 'data'>): number {
  return (sealed?.length ?? 0) + charactersOf(data);
}

function charactersOf(value: Json): number {
  if (typeof value === 'string') return value.length + PER_VALUE;
  if (typeof value !== 'object' || value === null) return PER_VALUE;
  let characters = PER_VALUE;
  if (Array.isArray(value)) {
    for (const each of value as readonly Json[]) characters += charactersOf(each);
    return characters;
  }
  for (const [name, each] of Object.entries(value)) characters += name.length + charactersOf(each);
  return characters;
}
