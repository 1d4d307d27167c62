import { expect } from '@jest/globals';
import { readFileSync } from 'node:fs';
import {
  decodeEvent,
  keyScopeOf,
  type EventTypes,
  type KeyOrErased,
} from '../../src/event-store/codec.js';
import type { EventEnvelope } from '../../src/kernel/envelope.js';
import { decodeBase64Url } from '../../src/kernel/base64url.js';
import { ERASED, type DomainEvent, type Recorded } from '../../src/kernel/event.js';
import { eventFaults, schemaFaults } from '../support/event-schemas.js';

/**
 * A log as an earlier version stored it: sealed envelopes and the keys that open them. The files
 * are never rewritten: a later version that cannot read one needs an upcaster.
 */
export interface StoredLog {
  readonly events: readonly EventEnvelope[];
  /** base64url by key scope; absent when no event has texts. */
  readonly dataKeys?: Readonly<Record<string, string>>;
}

export function readStored<Log extends StoredLog>(file: URL): Log {
  return JSON.parse(readFileSync(file, 'utf8')) as Log;
}

/** The log as a start of today's version reads it. */
export function replay<E extends DomainEvent>(
  { events, dataKeys = {} }: StoredLog,
  types: EventTypes<E>,
): readonly Recorded<E>[] {
  const keys = new Map(Object.entries(dataKeys));
  return decodeAll(events, types, (scope) => decodeBase64Url(keys.get(scope) ?? ''));
}

/** The same once the data keys are destroyed. */
export function replayErased<E extends DomainEvent>(
  { events }: StoredLog,
  types: EventTypes<E>,
): readonly Recorded<E>[] {
  return decodeAll(events, types, () => ERASED);
}

/** Expects every envelope, and what it holds, to match the published schemas. */
export function expectSchemasToHold<E extends DomainEvent>(
  log: StoredLog,
  types: EventTypes<E>,
): void {
  const decoded = replay(log, types);
  for (const [index, envelope] of log.events.entries()) {
    const { type, schemaVersion, data, sealed } = envelope;
    // In the form in which it was stored: what has become texts since was none.
    const texts = sealed === null ? null : decoded[index]?.texts;
    const faults = {
      envelope: schemaFaults('envelope', envelope),
      content: eventFaults({ type, schemaVersion, data, texts }),
    };
    expect([type, faults]).toEqual([type, { envelope: [], content: [] }]);
  }
}

function decodeAll<E extends DomainEvent>(
  events: readonly EventEnvelope[],
  types: EventTypes<E>,
  keyOf: (scope: string) => KeyOrErased,
): readonly Recorded<E>[] {
  return events.map((envelope) => decodeEvent(envelope, types, keyOf(keyScopeOf(envelope.stream))));
}
