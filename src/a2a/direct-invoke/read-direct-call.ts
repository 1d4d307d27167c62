import { Faults, MemberReader, prose, text, type Reads } from '../../kernel/document-reader.js';
import { parseSkillId } from '../../kernel/ids.js';
import { isObject, pointerTo, type Json, type JsonObject } from '../../kernel/json.js';
import type { JsonPointer } from '../../kernel/json.js';
import type { Fault } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { parseMediaRange } from '../../capabilities/domain/media-range.js';
import type { A2aRequest } from '../turns/agent-operations.js';
import type { A2aRefusal } from '../wire/refusal.js';
import type { SendMessageRequest } from '../wire/types.js';
import type { DirectCall } from './direct-call.js';
import { skillNotFound } from './direct-checks.js';
import { directRefusal } from './direct-refusal.js';

/** Ids of a caller's own, in UTF-16 code units. */
const MAX_ID_LENGTH = 255;
const MAX_MEDIA_TYPE_LENGTH = 255;

/** Where the payload of a direct invoke stands in the params. */
export function payloadPointer(uri: string): JsonPointer {
  return pointerTo('/message/metadata', uri);
}

/**
 * The direct invoke that a message is, null when it is none (RFC skill-direct-invoke, sections 3.2
 * and 3.3). The header decides: without it the payload is nothing but metadata. With it the message
 * must be a direct invoke: there is no way back to the model. `parts` play no role.
 *
 * Refuses with `METADATA_MISSING`, with `INVALID_METADATA` and every fault of the payload, and with
 * `SKILL_NOT_FOUND` for what cannot be the id of a skill.
 *
 * @param uri of the extension, null when the deployment does not serve it
 */
export function readDirectCall(
  { extensions }: Pick<A2aRequest, 'extensions'>,
  { message }: SendMessageRequest,
  uri: string | null,
): Result<DirectCall | null, A2aRefusal> {
  if (uri === null || !extensions.has(uri)) return ok(null);
  const isDeclared = message.extensions?.includes(uri) === true;
  const payload = Object.hasOwn(message.metadata ?? {}, uri) ? message.metadata?.[uri] : undefined;
  if (!isDeclared) return err(invalid(payload, [notDeclared()]));
  if (payload === undefined) return err(missing(uri));
  const faults = new Faults();
  const read = readPayload(payload, payloadPointer(uri), faults);
  if (message.taskId !== undefined) {
    faults.add('/message/taskId', 'must not be there: a direct invoke begins a task of its own');
  }
  if (faults.all.length > 0) return err(invalid(payload, faults.all));
  const skillId = parseSkillId(read.skillId);
  return skillId === undefined ? err(skillNotFound(read)) : ok({ ...read, skillId });
}

type Payload = Omit<DirectCall, 'skillId'> & { readonly skillId: string };

/** The members as they are once there are no faults. */
function readPayload(payload: Json, pointer: JsonPointer, faults: Faults): Payload {
  const reader = new MemberReader(payload, pointer, faults);
  const read = {
    callId: reader.required('callId', id),
    skillId: reader.required('skillId', anyText),
    arguments: reader.required('arguments', object),
    traceId: reader.optional('traceId', id, null),
    idempotencyKey: reader.optional('idempotencyKey', id, null),
    expectedOutputMode: reader.optional('expectedOutputMode', mediaType, null),
  };
  reader.required('bypassModel', isTrue);
  reader.end();
  return read as Payload;
}

const id = prose(MAX_ID_LENGTH, 'one-line');

/** Whatever it says: what is no id of a skill is a skill that is not found. */
const anyText: Reads<string> = (value, pointer, faults) =>
  typeof value === 'string' ? value : faults.add(pointer, 'must be a text');

const object: Reads<JsonObject> = (value, pointer, faults) =>
  isObject(value as Json) ? (value as JsonObject) : faults.add(pointer, 'must be an object');

const isTrue: Reads<true> = (value, pointer, faults) =>
  value === true ? value : faults.add(pointer, 'must be true: no model is asked');

/** Parameters say nothing that a choice between media types would rest on. */
const mediaType = text(MAX_MEDIA_TYPE_LENGTH, 'a media type', (value) => {
  const [bare = ''] = value.split(';', 1);
  const essence = parseMediaRange(bare.trim());
  return essence?.endsWith('/*') === true ? undefined : essence;
});

function notDeclared(): Fault {
  return {
    pointer: '/message/extensions',
    detail: 'must name the extension that A2A-Extensions activates',
  };
}

function missing(uri: string): A2aRefusal {
  return directRefusal('METADATA_MISSING', 'The message has no payload of the extension.', null, {
    faults: [{ pointer: payloadPointer(uri), detail: 'is missing' }],
  });
}

function invalid(payload: Json | undefined, faults: readonly Fault[]): A2aRefusal {
  const detail = 'The message is no direct invoke, and activates the extension for one.';
  return directRefusal('INVALID_METADATA', detail, idsOf(payload), { faults });
}

/** As far as they can be read: whoever counts calls finds the refusal by them. */
function idsOf(payload: Json | undefined): Pick<DirectCall, 'callId' | 'traceId'> | null {
  if (!isObject(payload)) return null;
  const ignored = new Faults();
  const callId = id(payload['callId'], '', ignored);
  return callId === null ? null : { callId, traceId: id(payload['traceId'], '', ignored) };
}
