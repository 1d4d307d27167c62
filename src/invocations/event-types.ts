import type { EventTypes } from '../event-store/codec.js';
import type { InvocationEvent } from './domain/events.js';

/** What is written today. A changed form gets a new version and an upcaster; names never change. */
export const INVOCATION_EVENT_TYPES: EventTypes<InvocationEvent> = {
  'invocation-admitted': { schemaVersion: 1 },
  'invocation-ended': { schemaVersion: 1 },
};
