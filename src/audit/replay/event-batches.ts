import { envelopeCharacters } from '../../event-store/envelope-characters.js';
import type { Position, RecordedEnvelope, SubscriptionMessage } from '../../event-store/port.js';

/** Events that are looked at together: their data keys and their agents are asked for at once. */
export interface EventBatch {
  readonly events: readonly RecordedEnvelope[];
  /** The source has given everything up to here. */
  readonly through: Position;
  /** True when that was the head of the log. */
  readonly isAtHead: boolean;
}

const BATCH_EVENTS = 64;
/** A batch ends early after so many characters of sealed texts and data, so that large events fill no memory. */
const BATCH_CHARACTERS = 1024 * 1024;

/** A subscription in batches; what is there when the head is reached waits for nothing more. */
export async function* inBatches(
  messages: AsyncIterable<SubscriptionMessage>,
): AsyncGenerator<EventBatch, undefined> {
  let events: RecordedEnvelope[] = [];
  let characters = 0;
  for await (const message of messages) {
    if (message.kind === 'event') {
      events.push(message.event);
      characters += envelopeCharacters(message.event);
      if (events.length < BATCH_EVENTS && characters < BATCH_CHARACTERS) continue;
    }
    const isAtHead = message.kind === 'caught-up';
    const through = isAtHead ? message.position : message.event.position;
    yield { events, through, isAtHead };
    events = [];
    characters = 0;
  }
  const last = events.at(-1);
  if (last !== undefined) yield { events, through: last.position, isAtHead: false };
}

/** Events that are there already, as a subscription would give them. */
export async function* asMessages(
  events: AsyncIterable<RecordedEnvelope>,
): AsyncGenerator<SubscriptionMessage, undefined> {
  for await (const event of events) yield { kind: 'event', event };
}
