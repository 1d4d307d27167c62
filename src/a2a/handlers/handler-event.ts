import type { AgentId } from '../../kernel/ids.js';
import { isObject, type JsonObject } from '../../kernel/json.js';
import { jsonCopy } from '../../kernel/json-copy.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { agentArtifact, agentParts } from '../wire/message.js';
import { message, optional, required } from '../wire/message-shape.js';
import { FAULTY, Reading, type Read } from '../wire/reading.js';
import * as scalars from '../wire/scalars.js';
import type { Artifact, Part } from '../wire/types.js';
import type { HandlerEvent } from './capability-call.js';

/** Characters in all that is said in one turn. */
export const MAX_SAID = 8 * 1024 * 1024;

const LIMITS = {
  maxLength: MAX_SAID,
  // Of data 64, as everywhere; it stands in a part of the parts of the artifact of an event.
  maxDepth: 64 + 4,
  // None of them weighs less than eight characters.
  maxValues: MAX_SAID / 8,
};

interface Words {
  readonly parts?: readonly Part[];
}

interface Ending extends Words {
  readonly metadata?: JsonObject;
}

interface Failure extends Ending {
  readonly isUnknown?: boolean;
}

interface SaidArtifact {
  readonly artifact: Artifact;
  readonly append?: boolean;
  readonly lastChunk?: boolean;
}

const words = { parts: optional(agentParts) };
const ending = { ...words, metadata: optional(scalars.struct) };
const anEnding = message<Ending>(ending);

/** What each kind of event holds besides its kind. */
const READERS = {
  working: message<Words>(words),
  artifact: message<SaidArtifact>({
    artifact: required(agentArtifact),
    append: optional(scalars.flag),
    lastChunk: optional(scalars.flag),
  }),
  completed: anEnding,
  failed: message<Failure>({ ...ending, isUnknown: optional(scalars.flag) }),
  rejected: anEnding,
  'input-required': anEnding,
  'auth-required': anEnding,
  message: message<Required<Words>>({ parts: required(agentParts) }),
} satisfies Record<HandlerEvent['kind'], Read<object>>;

/**
 * What a handler said, as it was when it said it: a copy, of what A2A allows alone. Handlers may be
 * plain JavaScript, and may go on working at what they gave.
 * @returns the event, or what is wrong with it, without a word of what it holds
 */
export function readHandlerEvent(said: unknown, agentId: AgentId): Result<HandlerEvent, string> {
  const copy = jsonCopy(said, LIMITS);
  if (!copy.ok) return err(`what is no unambiguous JSON (${copy.error})`);
  if (!isObject(copy.value)) return err('what is no event');
  const { kind } = copy.value;
  if (!isKind(kind)) return err('an unknown kind of event');
  const reading = new Reading(agentId);
  const read: Read<object> = READERS[kind];
  const event = read(copy.value, reading);
  if (event === undefined || event === FAULTY) {
    const faults = reading.faults.map(({ pointer, detail }) => `${pointer || 'it'} ${detail}`);
    return err(`${kind}, of which ${faults.join(', ')}`);
  }
  return ok({ kind, ...event } as HandlerEvent);
}

function isKind(kind: unknown): kind is HandlerEvent['kind'] {
  return typeof kind === 'string' && Object.hasOwn(READERS, kind);
}
