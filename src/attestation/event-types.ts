import type { EventTypes } from '../event-store/codec.js';
import type { PlatformKeyEvent } from './domain/events.js';

/** What is written today. A changed form gets a new version and an upcaster; names never change. */
export const PLATFORM_KEY_EVENT_TYPES: EventTypes<PlatformKeyEvent> = {
  'platform-key-added': { schemaVersion: 1 },
  'platform-key-retired': { schemaVersion: 1 },
  'platform-key-revoked': { schemaVersion: 1 },
};
