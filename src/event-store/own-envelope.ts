import { encodeBase64Url } from '../kernel/base64url.js';
import { hashJson } from '../kernel/digest.js';
import type { NewEnvelope } from '../kernel/envelope.js';
import type { DomainEvent } from '../kernel/event.js';
import { deriveUuid } from '../kernel/ids.js';
import type { JsonObject } from '../kernel/json.js';
import { notBefore, timestampOf, type Clock, type Timestamp } from '../kernel/timestamp.js';
import type { EventTypes } from './codec.js';
import type { RandomBytes } from './command-execution.js';

/** A part of the service that writes to a stream of its own: no caller's command is behind it. */
export interface OwnWriter {
  /** The actor of its events: `process:<name>`. */
  readonly principal: string;
  readonly clock: Clock;
  readonly random: RandomBytes;
}

/**
 * An event without texts that the service itself writes, nobody's command.
 *
 * @param types of the event's context
 * @param previous when the stream's last event was recorded, undefined for its first: none is
 * recorded earlier
 */
export function ownEnvelope<E extends DomainEvent<string, object, null>>(
  { principal, clock, random }: OwnWriter,
  { type, data }: E,
  types: EventTypes<E>,
  previous: Timestamp | undefined,
): NewEnvelope {
  // Random, and not derived from revision or content: two nodes must not be taken for one.
  const salt = encodeBase64Url(random(16));
  const id = deriveUuid([principal, salt]);
  const content = { ...data } as JsonObject;
  return {
    id,
    type,
    recordedAt: notBefore(timestampOf(clock()), previous),
    schemaVersion: types[type as E['type']].schemaVersion,
    data: content,
    sealed: null,
    salt,
    metadata: {
      commandId: id,
      requestDigest: hashJson(content),
      actor: { principal, agent: null, tenant: null },
      correlationId: id,
      causationId: null,
      traceparent: null,
      basedOn: {},
    },
  };
}
