import type { EventTypes, Upcaster } from '../event-store/codec.js';
import type { InvocationEvent } from './domain/events.js';

/** Until then a call needed entitlement alone: no contract, no approval, and no digest was kept. */
const admittedByEntitlement: Upcaster = ({ data, texts }) => ({
  data: {
    ...data,
    rule: 'entitlement',
    terms: null,
    action: null,
    data: [],
    argumentsDigest: null,
    approval: null,
  },
  texts,
});

const endedWithoutDigest: Upcaster = ({ data, texts }) => ({
  data: { ...data, resultDigest: null },
  texts,
});

/** What is written today. A changed form gets a new version and an upcaster; names never change. */
export const INVOCATION_EVENT_TYPES: EventTypes<InvocationEvent> = {
  'approval-requested': { schemaVersion: 1 },
  'approval-given': { schemaVersion: 1 },
  'approval-denied': { schemaVersion: 1 },
  'invocation-admitted': { schemaVersion: 2, upcasters: [admittedByEntitlement] },
  'invocation-ended': { schemaVersion: 2, upcasters: [endedWithoutDigest] },
  'invocation-refused': { schemaVersion: 1 },
};
