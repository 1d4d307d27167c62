import type { RandomBytes } from '../event-store/command-execution.js';
import { encodeBase64Url } from '../kernel/base64url.js';
import { hashJson } from '../kernel/digest.js';
import type { NewEnvelope } from '../kernel/envelope.js';
import { deriveUuid } from '../kernel/ids.js';
import type { JsonObject } from '../kernel/json.js';
import { latest, timestampOf, type Clock, type Timestamp } from '../kernel/timestamp.js';
import { CALENDAR_EVENT_TYPES, type CalendarEvent } from './calendar-events.js';
import { PROCESS_EVENT_TYPES, type ProcessEvent } from './events.js';

/** Who writes the events of a process's own streams. */
export interface ProcessWriter {
  /** Of the process. */
  readonly name: string;
  readonly node: string;
  readonly clock: Clock;
  readonly random: RandomBytes;
}

const TYPES = { ...PROCESS_EVENT_TYPES, ...CALENDAR_EVENT_TYPES };

/** @param previous when the stream's last event was recorded: none is recorded earlier */
export function processEnvelope(
  { name, clock, random }: ProcessWriter,
  event: ProcessEvent | CalendarEvent,
  previous: Timestamp | undefined,
): NewEnvelope {
  // Random, and not derived from the revision: two nodes of one name must not be taken for one.
  const salt = encodeBase64Url(random(16));
  const id = deriveUuid(['process', name, salt]);
  const data = { ...event.data } as unknown as JsonObject;
  const now = timestampOf(clock());
  return {
    id,
    type: event.type,
    recordedAt: previous === undefined ? now : latest(now, previous),
    schemaVersion: TYPES[event.type].schemaVersion,
    data,
    sealed: null,
    salt,
    metadata: {
      commandId: id,
      requestDigest: hashJson(data),
      actor: { principal: `process:${name}`, agent: null, tenant: null },
      correlationId: id,
      causationId: null,
      traceparent: null,
      basedOn: {},
    },
  };
}
