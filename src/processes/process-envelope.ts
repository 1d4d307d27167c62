import { ownEnvelope, type OwnWriter } from '../event-store/own-envelope.js';
import type { NewEnvelope } from '../kernel/envelope.js';
import type { Timestamp } from '../kernel/timestamp.js';
import { CALENDAR_EVENT_TYPES, type CalendarEvent } from './calendar-events.js';
import { PROCESS_EVENT_TYPES, type ProcessEvent } from './events.js';
import { RETENTION_EVENT_TYPES, type RetentionNoted } from './retention-events.js';

/** Who writes the events of a process's own streams. */
export interface ProcessWriter extends Omit<OwnWriter, 'principal'> {
  /** Of the process. */
  readonly name: string;
  readonly node: string;
}

const TYPES = { ...PROCESS_EVENT_TYPES, ...CALENDAR_EVENT_TYPES, ...RETENTION_EVENT_TYPES };

/** @param previous when the stream's last event was recorded */
export function processEnvelope(
  { name, clock, random }: ProcessWriter,
  event: ProcessEvent | CalendarEvent | RetentionNoted,
  previous: Timestamp | undefined,
): NewEnvelope {
  return ownEnvelope({ principal: `process:${name}`, clock, random }, event, TYPES, previous);
}
