import { envelopeText, type EventEnvelope } from '../../kernel/envelope.js';
import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import { leafHash } from '../../kernel/merkle.js';

/** One line of an export of `GET /v1/events`: a CloudEvent, nothing of it judged but its form. */
export interface LogLine {
  /** As the log stores it: what its leaf is made of. */
  readonly envelope: EventEnvelope;
  /** Unsealed, where the export has them. */
  readonly texts: unknown;
  /** In the service's log. */
  readonly position: string;
  /** The platform's public base URL. */
  readonly audience: string;
}

const SOURCE = /^(https?:\/\/[^/?#]+)\/v1\/events$/;
const POSITION = /^\d{20,40}$/;

/** Undefined for what is no event of an export. Members of the envelope may still be anything. */
export function parseLogLine(text: string): LogLine | undefined {
  const event = parseObject(text);
  const content = event?.['data'];
  if (event === undefined || !isObject(content)) return undefined;
  const { id, source, type, subject, time, revision, position } = event;
  const [, audience] = SOURCE.exec(textOf(source)) ?? [];
  const isPlaced = typeof subject === 'string' && POSITION.test(textOf(position));
  if (audience === undefined || !isPlaced || type !== content['type']) return undefined;
  const { schemaVersion, data, sealed, salt, metadata, texts } = content;
  const envelope = {
    id,
    type,
    stream: subject,
    revision,
    recordedAt: time,
    schemaVersion,
    data,
    sealed,
    salt,
    metadata,
    // What is no envelope the replay says; its leaf can be made of anything.
  } as unknown as EventEnvelope;
  return { envelope, texts, position: textOf(position), audience };
}

/** Undefined for an envelope that has no canonical text: half a surrogate pair, a missing member. */
export function leafOf(envelope: EventEnvelope): Uint8Array | undefined {
  try {
    return leafHash(envelopeText(envelope));
  } catch {
    return undefined;
  }
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
