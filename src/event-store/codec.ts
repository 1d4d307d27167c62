import { ERASED, type DomainEvent, type Erased, type Recorded } from '../kernel/event.js';
import type { JsonObject } from '../kernel/json.js';
import type { EventEnvelope } from '../kernel/envelope.js';
import type { DataKey, KeyStore } from './key-store.js';
import { unseal } from './sealing.js';

/** One change of an event type's stored form: takes version n and gives version n+1. */
export type Upcaster = (stored: StoredContent) => StoredContent;

export interface StoredContent {
  readonly data: JsonObject;
  readonly texts: JsonObject | null | Erased;
}

/** The event types of one context: the version written today, and how older ones become it. */
export interface EventType {
  readonly schemaVersion: number;
  /** Index i turns version i+1 into i+2. */
  readonly upcasters?: readonly Upcaster[];
}

/** Every type of a context's union, so that a forgotten one does not compile. */
export type EventTypes<E extends DomainEvent> = Readonly<Record<E['type'], EventType>>;

/** Data keys are one per stream for now; a scope is named after the stream that it protects. */
export function keyScopeOf(stream: string): string {
  return stream;
}

/** What the key store says of a scope: undefined when it never had a key. */
export type KeyOrErased = DataKey | Erased | undefined;

/** The key that opens these envelopes of one stream; not asked for when nothing in them is sealed. */
export async function keyOf(
  stream: string,
  envelopes: readonly EventEnvelope[],
  keys: Pick<KeyStore, 'find'>,
): Promise<KeyOrErased> {
  if (envelopes.every(({ sealed }) => sealed === null)) return undefined;
  return await keys.find(keyScopeOf(stream));
}

/**
 * Opens an envelope: unseals its texts and brings an older form up to today's.
 *
 * @param key the key of the envelope's scope. With {@link ERASED}, also for readers that need only
 * identifiers, sealed texts are left alone and reported as erased.
 * @throws for a type or a version that this build does not know (a log from a later build), and for
 * sealed texts without a key.
 */
export function decodeEvent<E extends DomainEvent>(
  envelope: EventEnvelope,
  types: EventTypes<E>,
  key: KeyOrErased,
): Recorded<E> {
  const type = eventType(envelope, types);
  let content: StoredContent = { data: envelope.data, texts: unsealTexts(envelope, key) };
  const upcasters = type.upcasters ?? [];
  for (let version = envelope.schemaVersion; version < type.schemaVersion; version++) {
    const upcast = upcasters[version - 1];
    if (upcast === undefined)
      throw new Error(`no upcaster for ${envelope.type} v${String(version)}`);
    content = upcast(content);
  }
  return {
    type: envelope.type,
    data: content.data,
    texts: content.texts,
    recordedAt: envelope.recordedAt,
    revision: envelope.revision,
    // The stored form of a known type and version is what this build's writer made or upcast.
  } as unknown as Recorded<E>;
}

function eventType<E extends DomainEvent>(
  envelope: EventEnvelope,
  types: EventTypes<E>,
): EventType {
  if (!Object.hasOwn(types, envelope.type)) throw new Error(`unknown event type ${envelope.type}`);
  const type = types[envelope.type as E['type']];
  if (envelope.schemaVersion > type.schemaVersion) {
    throw new Error(`${envelope.type} v${String(envelope.schemaVersion)} is from a later build`);
  }
  return type;
}

function unsealTexts(envelope: EventEnvelope, key: KeyOrErased): StoredContent['texts'] {
  if (envelope.sealed === null) return null;
  if (key === ERASED) return ERASED;
  if (key === undefined)
    throw new Error(`the key of ${envelope.stream} is missing from the key store`);
  return unseal(envelope.sealed, key, envelope);
}
