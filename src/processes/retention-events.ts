import type { EventTypes } from '../event-store/codec.js';
import type { DomainEvent } from '../kernel/event.js';
import type { InteractionId } from '../kernel/ids.js';
import { processStream } from './events.js';

/** The retention of texts that are about to be erased has run out: so long it was. */
export type RetentionNoted = DomainEvent<
  'retention-noted',
  { readonly interactionId: InteractionId; readonly days: number },
  null
>;

/** What stands in `process-<name>-retention-<interaction>`: one event. */
export const RETENTION_EVENT_TYPES: EventTypes<RetentionNoted> = {
  'retention-noted': { schemaVersion: 1 },
};

export function retentionStream(process: string, interactionId: InteractionId): string {
  return `${processStream(process)}-retention-${interactionId}`;
}
