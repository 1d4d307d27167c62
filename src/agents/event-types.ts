import type { EventTypes, Upcaster } from '../event-store/codec.js';
import type { JsonObject } from '../kernel/json.js';
import type { AgentEvent } from './domain/events.js';

/** Until then everybody who was shown the event was shown the rules. */
const policySealed: Upcaster = ({ data: { policy = null, ...data } }) => {
  const rules = policy as JsonObject | null;
  return { data: { ...data, hasPolicy: rules !== null }, texts: { policy: rules } };
};

/** What is written today. A changed form gets a new version and an upcaster; names never change. */
export const AGENT_EVENT_TYPES: EventTypes<AgentEvent> = {
  'agent-registered': { schemaVersion: 1 },
  'agent-key-added': { schemaVersion: 1 },
  'agent-key-revoked': { schemaVersion: 1 },
  'agent-methods-changed': { schemaVersion: 1 },
  'agent-policy-changed': { schemaVersion: 2, upcasters: [policySealed] },
  'agent-clients-changed': { schemaVersion: 1 },
  'agent-transport-changed': { schemaVersion: 1 },
  'agent-retired': { schemaVersion: 1 },
};
