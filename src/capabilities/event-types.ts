import type { EventTypes } from '../event-store/codec.js';
import type { CapabilityEvent } from './domain/events.js';

/** What is written today. A changed form gets a new version and an upcaster; names never change. */
export const CAPABILITY_EVENT_TYPES: EventTypes<CapabilityEvent> = {
  'capability-registered': { schemaVersion: 1 },
  'capability-revised': { schemaVersion: 1 },
  'capability-state-changed': { schemaVersion: 1 },
  'caller-opted-in': { schemaVersion: 1 },
  'caller-opted-out': { schemaVersion: 1 },
};
