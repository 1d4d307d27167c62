import type { EventTypes, Upcaster } from '../event-store/codec.js';
import type { InteractionEvent } from './domain/events.js';

/** Until then no erasure said for how long the texts had been retained. */
const retentionUntold: Upcaster = ({ data, texts }) => ({
  data: { ...data, retention: null },
  texts,
});

/** What is written today. A changed form gets a new version and an upcaster; names never change. */
export const INTERACTION_EVENT_TYPES: EventTypes<InteractionEvent> = {
  'interaction-proposed': { schemaVersion: 1 },
  'revision-proposed': { schemaVersion: 1 },
  'revision-accepted': { schemaVersion: 1 },
  'revision-attested': { schemaVersion: 1 },
  'revision-rejected': { schemaVersion: 1 },
  'revision-withdrawn': { schemaVersion: 1 },
  'interaction-cancelled': { schemaVersion: 1 },
  'outcome-reported': { schemaVersion: 1 },
  'interaction-completed': { schemaVersion: 1 },
  'interaction-expired': { schemaVersion: 1 },
  'erasure-consented': { schemaVersion: 1 },
  'texts-erased': { schemaVersion: 2, upcasters: [retentionUntold] },
};
