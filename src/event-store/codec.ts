import type { DomainEvent, Recorded } from '../kernel/event.js';
import { ERASED } from '../kernel/event.js';
import type { JsonObject } from '../kernel/json.js';
import type { EventEnvelope } from './envelope.js';
import type { KeyStore } from './key-store.js';
import { unseal } from './sealing.js';

/** One change of an event type's stored form: takes version n and gives version n+1. */
export type Upcaster = (stored: StoredContent) => StoredContent;

export interface StoredContent {
  readonly data: JsonObject;
  readonly texts: JsonObject | null | typeof ERASED;
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

/**
 * Opens an envelope: unseals its texts and brings an older form up to today's. `withTexts: false`
 * leaves sealed texts alone and reports them as erased, for readers that need only identifiers.
 * @throws for a type or a version that this build does not know: a log from a later build.
 */
export async function decodeEvent<E extends DomainEvent>(
  envelope: EventEnvelope,
  types: EventTypes<E>,
  keys: Pick<KeyStore, 'find'>,
  options: { readonly withTexts: boolean } = { withTexts: true },
): Promise<Recorded<E>> {
  const type = eventType(envelope, types);
  let content: StoredContent = {
    data: envelope.data,
    texts: options.withTexts
      ? await unsealTexts(envelope, keys)
      : envelope.sealed === null
        ? null
        : ERASED,
  };
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

async function unsealTexts(
  envelope: EventEnvelope,
  keys: Pick<KeyStore, 'find'>,
): Promise<StoredContent['texts']> {
  if (envelope.sealed === null) return null;
  const key = await keys.find(keyScopeOf(envelope.stream));
  if (key === undefined)
    throw new Error(`the key of ${envelope.stream} is missing from the key store`);
  if (key === ERASED) return ERASED;
  return unseal(envelope.sealed, key, envelope);
}
