import { isDeepStrictEqual } from 'node:util';
import type { ReplayedInteraction } from '../../audit/verify/replay/replayed-interaction.js';
import { wireDocument } from '../../audit/verify/replay/wire-document.js';
import { wireRemains } from '../../audit/verify/replay/wire-remains.js';
import { documentChanges } from '../../kernel/document-changes.js';
import { isObject, type Json } from '../../kernel/json.js';
import { withShownContracts } from './shown-contracts.js';

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
  /** As JSON, or in words; null where it is not there. */
  readonly inLog: string | null;
  readonly inAnswer: string | null;
  /**
   * All that differs is that the service calls the texts erased, and the log does not. Texts are gone at once,
   * and at every earlier moment too: entries that were not read yet may still tell of it.
   */
  readonly isUntoldErasure: boolean;
}

/**
 * Compares what the log leads to with what the service answers: the whole document, or of one whose
 * texts are erased what remains. Contracts that the log does not give are held against their hashes in it.
 * Null when they are equal.
 */
export function stateDifference(
  state: ReplayedInteraction,
  { status, body }: ServiceAnswer,
): Difference | null {
  const subject = `interaction-${state.interactionId}@${String(state.revision)}`;
  switch (status) {
    case 200:
      return state.erased
        ? difference(subject, '', 'texts erased', 'HTTP 200')
        : documentDifference(subject, state, body);
    case 410:
      return (
        first(subject, plain(wireRemains(state)), remainsIn(body)) ??
        (state.erased ? null : untoldErasure(subject))
      );
    default:
      return difference(subject, '', state.status, `HTTP ${String(status)}`);
  }
}

function documentDifference(
  subject: string,
  state: ReplayedInteraction,
  body: Json,
): Difference | null {
  const whole = withShownContracts(state, body);
  if (!whole.ok) {
    const { pointer, hash, expected } = whole.error;
    return difference(subject, pointer, `terms ${expected}`, hash && `terms ${hash}`);
  }
  const document = wireDocument(whole.value);
  if (document === undefined) throw new Error('a state without transports is compared');
  return first(subject, plain(document), body);
}

/** Without when and why it was erased: the log tells that by an event, which is judged as such. */
function remainsIn(body: Json): Json {
  const remains = isObject(body) ? (body['remains'] ?? null) : null;
  if (!isObject(remains)) return remains;
  return Object.fromEntries(Object.entries(remains).filter(([name]) => name !== 'erasure'));
}

function untoldErasure(subject: string): Difference {
  return { ...difference(subject, '', 'texts not erased', 'HTTP 410'), isUntoldErasure: true };
}

function plain(document: object): Json {
  return JSON.parse(JSON.stringify(document)) as Json;
}

function first(subject: string, inLog: Json, inAnswer: Json): Difference | null {
  const [change] = documentChanges(inLog, inAnswer);
  if (change !== undefined) {
    const { pointer, before, after } = change;
    return difference(subject, pointer, before ?? null, after ?? null);
  }
  // By their pointers alone a list is the same as an object that is numbered like it.
  return isDeepStrictEqual(plain({ inLog }), plain({ inLog: inAnswer }))
    ? null
    : difference(subject, '', 'lists', 'objects in their place');
}

function difference(
  subject: string,
  pointer: string,
  inLog: string | null,
  inAnswer: string | null,
): Difference {
  return { subject, pointer, inLog, inAnswer, isUntoldErasure: false };
}
