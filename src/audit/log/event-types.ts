import type { EventTypes } from '../../event-store/codec.js';
import type { LogEvent } from './domain/events.js';

/** What is written today. A changed form gets a new version and an upcaster; names never change. */
export const LOG_EVENT_TYPES: EventTypes<LogEvent> = {
  'checkpoint-signed': { schemaVersion: 1 },
  'checkpoint-cosigned': { schemaVersion: 1 },
};
