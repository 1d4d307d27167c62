import type { EventTypes } from '../event-store/codec.js';
import type { CardEvent } from './domain/card-events.js';

/** What is written today. A changed form gets a new version and an upcaster; names never change. */
export const CARD_EVENT_TYPES: EventTypes<CardEvent> = {
  'card-published': { schemaVersion: 1 },
};
