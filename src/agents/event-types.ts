import type { EventTypes } from '../event-store/codec.js';
import type { AgentEvent } from './domain/events.js';

/** What is written today. A changed form gets a new version and an upcaster; names never change. */
export const AGENT_EVENT_TYPES: EventTypes<AgentEvent> = {
  'agent-registered': { schemaVersion: 1 },
  'agent-key-added': { schemaVersion: 1 },
  'agent-key-revoked': { schemaVersion: 1 },
  'agent-methods-changed': { schemaVersion: 1 },
  'agent-policy-changed': { schemaVersion: 1 },
  'agent-clients-changed': { schemaVersion: 1 },
  'agent-transport-changed': { schemaVersion: 1 },
  'agent-retired': { schemaVersion: 1 },
};
