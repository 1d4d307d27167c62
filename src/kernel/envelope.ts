import type { Brand } from './brand.js';
import { canonicalJson } from './canonical-json.js';
import type { JsonObject } from './json.js';
import type { Timestamp } from './timestamp.js';

/** Event envelope v1: decided once, because a log is never rewritten. */
export interface EventEnvelope extends NewEnvelope {
  readonly stream: string;
  /** From 0, without gaps. */
  readonly revision: number;
}

/** b64u(nonce12 ‖ ciphertext ‖ tag16) of JCS(texts): of letters, digits, `-` and `_` alone. */
export type Sealed = Brand<string, 'Sealed'>;

/** An envelope before the store has given it its place. */
export interface NewEnvelope {
  /**
   * A UUID. That of a command's event is derived from the stream, the command id and the event's index
   * in the command; what the service writes by itself (`ownEnvelope`), and the task store, have random ones.
   */
  readonly id: string;
  /** Past tense, kebab case: the storage format. Renaming one needs an upcaster. */
  readonly type: string;
  /** max(the writer's clock, the stream's previous event). */
  readonly recordedAt: Timestamp;
  /** Version of `data` and of the sealed texts of this type, from 1. */
  readonly schemaVersion: number;
  /** Identifiers, hashes, statuses, signatures: what outlives an erasure. */
  readonly data: JsonObject;
  /** Null when the event has no texts. */
  readonly sealed: Sealed | null;
  /** b64u of 16 random bytes: makes the Merkle leaf of an event unguessable. */
  readonly salt: string;
  readonly metadata: EventMetadata;
}

/**
 * How an event came to be: which command, by whom, in which exchange. Never sealed, and outlives an
 * erasure, so it holds ids and hashes alone.
 */
export interface EventMetadata {
  /** One id for all events of one command: see `commandIdentity`. Without a command, the event's own. */
  readonly commandId: string;
  /** b64u(SHA-256(JCS(request))): the same command id with another digest is refused. */
  readonly requestDigest: string;
  readonly actor: Actor;
  readonly correlationId: string;
  /** Id of the event or command that caused this one, null for a request from outside. */
  readonly causationId: string | null;
  /** W3C Trace Context, as received, or null. */
  readonly traceparent: string | null;
  /** Other streams whose heads the decision was based on: stream name to revision. */
  readonly basedOn: Readonly<Record<string, number>>;
}

/** Who acted. A process has `principal: 'process:<name>'`, no agent and no tenant. */
export interface Actor {
  readonly principal: string;
  readonly agent: string | null;
  readonly tenant: string | null;
}

/**
 * The canonical text of an envelope: JCS of its ten members alone, whatever else the object carries
 * (an engine's position, say). Its UTF-8 bytes are what a leaf of the transparency log is the hash of,
 * so that the same log gives the same root on every engine.
 */
export function envelopeText(envelope: EventEnvelope): string {
  const { id, type, stream, revision, recordedAt, schemaVersion, data, sealed, salt, metadata } =
    envelope;
  // In the order of the text, so that they need not be sorted.
  return canonicalJson({
    data,
    id,
    metadata,
    recordedAt,
    revision,
    salt,
    schemaVersion,
    sealed,
    stream,
    type,
  });
}
