import type { ReplayedInteraction } from '../../audit/verify/replay/replayed-interaction.js';
import { shown } from '../../audit/verify/replay/replayed-interaction.js';
import { wireDocument } from '../../audit/verify/replay/wire-document.js';
import { documentChanges } from '../../kernel/document-changes.js';
import type { Json, JsonObject } from '../../kernel/json.js';

/** How the service answered for one interaction. */
export interface ServiceAnswer {
  readonly interactionId: string;
  /** Of HTTP: 200 with the document, 410 with what remains. */
  readonly status: number;
  readonly body: Json;
}

/** Where the service first answers otherwise than its log says. */
export interface Difference {
  /** `interaction-<id>@<revision>`: the last event that the state is made of. */
  readonly subject: string;
  /** JSON pointer into the answer. */
  readonly pointer: string;
  /** As JSON, null where it is not there. */
  readonly inLog: string | null;
  readonly inAnswer: string | null;
}

/**
 * Compares what the log leads to with what the service answers: the whole document, or of one whose
 * texts are erased what remains. Null when they are equal.
 */
export function stateDifference(
  state: ReplayedInteraction,
  { status, body }: ServiceAnswer,
): Difference | null {
  const subject = `interaction-${state.interactionId}@${String(state.revision)}`;
  if (status === 200) {
    const document = wireDocument(state);
    // Without the contracts (erased meanwhile, or kept from this reader) the rest is compared.
    if (document !== undefined) return first(subject, plain(document), body);
    return first(subject, outline(state), pick(body, OUTLINE));
  }
  if (status === 410) return first(subject, outline(state), pick(member(body, 'remains'), OUTLINE));
  const answered = `HTTP ${String(status)}`;
  return { subject, pointer: '', inLog: state.status, inAnswer: answered };
}

const OUTLINE = [
  'interactionId',
  'initiatorAgentId',
  'responderAgentId',
  'status',
  'termsHash',
  'contractRevision',
  'createdAt',
  'updatedAt',
  'expiresAt',
] as const;

/** What both a document and its remains say. */
function outline(state: ReplayedInteraction): Json {
  const standing = shown(state);
  const all = {
    ...state,
    termsHash: standing?.termsHash ?? null,
    contractRevision: standing?.revision ?? null,
  };
  return Object.fromEntries(OUTLINE.map((name) => [name, all[name]]));
}

function pick(value: Json | undefined, names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, member(value, name) ?? null]));
}

function member(value: Json | undefined, name: string): Json | undefined {
  const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  return isObject ? (value as JsonObject)[name] : undefined;
}

function plain(document: object): Json {
  return JSON.parse(JSON.stringify(document)) as Json;
}

function first(subject: string, inLog: Json, inAnswer: Json): Difference | null {
  const [change] = documentChanges(inLog, inAnswer);
  if (change === undefined) return null;
  const { pointer, before, after } = change;
  return { subject, pointer, inLog: before ?? null, inAnswer: after ?? null };
}
