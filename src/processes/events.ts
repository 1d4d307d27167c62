import type { EventTypes } from '../event-store/codec.js';
import type { Position } from '../event-store/port.js';
import type { DomainEvent } from '../kernel/event.js';
import type { Timestamp } from '../kernel/timestamp.js';

/** This node acts for the process until then; a later one of the same node prolongs it. */
export type LeaseAcquired = DomainEvent<
  'lease-acquired',
  { readonly node: string; readonly until: Timestamp },
  null
>;

/** The node has shut down: another may act at once. */
export type LeaseReleased = DomainEvent<'lease-released', { readonly node: string }, null>;

/** Nothing at or before the position is left to do: a start reads the log from there. */
export type CheckpointMoved = DomainEvent<
  'checkpoint-moved',
  { readonly node: string; readonly position: Position },
  null
>;

/** What stands in `process-<name>`: outside of the audited log, without texts. */
export type ProcessEvent = LeaseAcquired | LeaseReleased | CheckpointMoved;

export const PROCESS_EVENT_TYPES: EventTypes<ProcessEvent> = {
  'lease-acquired': { schemaVersion: 1 },
  'lease-released': { schemaVersion: 1 },
  'checkpoint-moved': { schemaVersion: 1 },
};

/** The stream of a process's lease and checkpoint. */
export function processStream(name: string): string {
  return `process-${name}`;
}
