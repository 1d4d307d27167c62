import type { EventEnvelope } from '../../../kernel/envelope.js';
import { err, ok, type Result } from '../../../kernel/result.js';
import {
  agentId,
  base64UrlLength,
  count,
  hash,
  name,
  revisionNumber,
  serverMoment,
  uuid,
} from './forms.js';
import { isRecord, members, orNull, textThat, when, type Shape } from './shapes.js';

const TYPE = /^[a-z]+(?:-[a-z]+)+$/;
const STREAM =
  /^[a-z]+(?:-[a-z]+)*(?:-[A-Za-z0-9][A-Za-z0-9._:~-]{0,127}(?:\/[A-Za-z0-9][A-Za-z0-9._:~-]{0,127})?)?$/;
/** Longer than any honest name, so that a hostile one costs nothing to refuse. */
const MAX_NAME = 512;
const MAX_BASED_ON = 64;

const streamName = textThat((text) => text.length <= MAX_NAME && STREAM.test(text), 'a stream');

const basedOn: Shape = (value, pointer) => {
  if (!isRecord(value)) return `${pointer} is not an object`;
  const heads = Object.entries(value);
  if (heads.length > MAX_BASED_ON) return `${pointer} has more than ${MAX_BASED_ON} members`;
  for (const [stream, revision] of heads) {
    const fault = streamName(stream, pointer) ?? count(revision, pointer);
    if (fault !== undefined) return fault;
  }
  return undefined;
};

const envelope = members({
  id: uuid,
  type: textThat((text) => text.length <= MAX_NAME && TYPE.test(text), 'an event type'),
  stream: streamName,
  revision: count,
  recordedAt: serverMoment,
  schemaVersion: revisionNumber,
  data: when(isRecord, 'an object'),
  sealed: orNull(textThat((text) => base64UrlLength(text) !== undefined, 'base64url')),
  salt: textThat((text) => base64UrlLength(text) === 16, 'base64url of 16 bytes'),
  metadata: members({
    commandId: uuid,
    requestDigest: hash,
    actor: members({ principal: name, agent: orNull(agentId), tenant: orNull(name) }),
    correlationId: name,
    causationId: orNull(name),
    traceparent: orNull(name),
    basedOn,
  }),
});

/** Envelope v1, and nothing else; the error says what is wrong, in text of the envelope itself. */
export function parseEnvelope(value: unknown): Result<EventEnvelope, string> {
  const fault = envelope(value, '');
  return fault === undefined ? ok(value as EventEnvelope) : err(fault);
}
