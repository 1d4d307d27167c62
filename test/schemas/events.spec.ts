import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { AGENT_EVENT_TYPES } from '../../src/agents/event-types.js';
import { PLATFORM_KEY_EVENT_TYPES } from '../../src/attestation/event-types.js';
import { LOG_EVENT_TYPES } from '../../src/audit/log/event-types.js';
import { CARD_EVENT_TYPES } from '../../src/capabilities/card-event-types.js';
import { CAPABILITY_EVENT_TYPES } from '../../src/capabilities/event-types.js';
import type { EventType } from '../../src/event-store/codec.js';
import { KEY_STORE_EVENT_TYPES } from '../../src/event-store/key-store-of-log.js';
import type { EventEnvelope } from '../../src/kernel/envelope.js';
import { INTERACTION_EVENT_TYPES } from '../../src/interactions/event-types.js';
import { INVOCATION_EVENT_TYPES } from '../../src/invocations/event-types.js';
import type { Timestamp } from '../../src/kernel/timestamp.js';
import { CALENDAR_EVENT_TYPES } from '../../src/processes/calendar-events.js';
import { PROCESS_EVENT_TYPES } from '../../src/processes/events.js';
import { RETENTION_EVENT_TYPES } from '../../src/processes/retention-events.js';
import {
  EVENT_SCHEMA_BASE as BASE,
  EVENT_SCHEMAS as EVENTS,
  schemaFaults as faults,
} from '../support/event-schemas.js';
import { SAMPLES } from './event-samples.js';

const SHARED = ['definitions', 'envelope'];

const EVENT_TYPES = {
  ...AGENT_EVENT_TYPES,
  ...CALENDAR_EVENT_TYPES,
  ...CAPABILITY_EVENT_TYPES,
  ...CARD_EVENT_TYPES,
  ...INTERACTION_EVENT_TYPES,
  ...INVOCATION_EVENT_TYPES,
  ...KEY_STORE_EVENT_TYPES,
  ...LOG_EVENT_TYPES,
  ...PLATFORM_KEY_EVENT_TYPES,
  ...PROCESS_EVENT_TYPES,
  ...RETENTION_EVENT_TYPES,
};

interface Event {
  readonly type: string;
  readonly schemaVersion: number;
  readonly data: object;
  readonly texts: object | null;
}

const samples: readonly (readonly [type: string, index: number, event: Event])[] = Object.entries(
  SAMPLES,
).flatMap(([type, ofType]) =>
  ofType.map((sample, index) => {
    const schemaVersion = EVENT_TYPES[type as keyof typeof EVENT_TYPES].schemaVersion;
    return [
      type,
      index,
      JSON.parse(JSON.stringify({ type, schemaVersion, ...sample })) as Event,
    ] as const;
  }),
);

describe('every event type has a schema', () => {
  it('and every schema an event type', () => {
    const names = readdirSync(EVENTS).map((file) => file.replace(/\.schema\.json$/, ''));
    // The form of today under the type's name, earlier ones under their numbers.
    const forms = Object.entries<EventType>(EVENT_TYPES).flatMap(([type, { schemaVersion }]) => [
      type,
      ...Array.from({ length: schemaVersion - 1 }, (_, index) => `${type}.v${String(index + 1)}`),
    ]);
    expect(names.filter((name) => !SHARED.includes(name)).toSorted()).toEqual(forms.toSorted());
    expect(names).toEqual(expect.arrayContaining(SHARED));
  });

  it('whose address is its file', () => {
    for (const file of readdirSync(EVENTS)) {
      const schema = JSON.parse(readFileSync(new URL(file, EVENTS), 'utf8')) as { $id: string };
      expect(schema.$id).toBe(`${BASE}${file}`);
    }
  });
});

describe('what the code writes matches', () => {
  it.each(samples)('%s, sample %i', (type, _, event) => {
    expect(faults(type, event)).toEqual([]);
  });
});

describe('nothing else matches', () => {
  it.each(samples)('%s, sample %i: no unknown member, at any depth', (type, _, event) => {
    for (const path of objectsOf(event)) {
      const changed = edit(event, path, (object) => ({ ...object, extra: null }));
      expect([path, faults(type, changed).length > 0]).toEqual([path, true]);
    }
  });

  it.each(samples)('%s, sample %i: no missing member', (type, _, event) => {
    for (const path of objectsOf(event)) {
      for (const member of Object.keys(at(event, path))) {
        if (member === 'deadline') continue;
        const changed = edit(event, path, ({ [member]: _dropped, ...rest }) => rest);
        expect([path, member, faults(type, changed).length > 0]).toEqual([path, member, true]);
      }
    }
  });

  it.each(samples)('%s, sample %i: no other kind of value', (type, _, event) => {
    for (const path of objectsOf(event)) {
      for (const member of Object.keys(at(event, path))) {
        for (const wrong of [true, 1.5, [[]], { extra: 1 }]) {
          if (OPEN.has(member) && 'extra' in Object(wrong)) continue;
          if (wrong === true && typeof at(event, path)[member] === 'boolean') continue;
          const changed = edit(event, path, (object) => ({ ...object, [member]: wrong }));
          expect([path, member, faults(type, changed).length > 0]).toEqual([path, member, true]);
        }
      }
    }
  });

  it('no acceptance by key without a signature, or by token with one', () => {
    const [, , event] = samples.find(([type]) => type === 'revision-accepted')!;
    const acceptance = ['data', 'acceptance'];
    const change = (to: object) => edit(event, acceptance, (object) => ({ ...object, ...to }));
    expect(faults('revision-accepted', change({}))).toEqual([]);
    expect(faults('revision-accepted', change({ method: 'oauth_account' }))).not.toEqual([]);
    expect(faults('revision-accepted', change({ signature: undefined }))).not.toEqual([]);
  });

  it('no signed moment without a signature', () => {
    const [, , event] = samples.find(([type]) => type === 'revision-rejected')!;
    const change = (to: object) => edit(event, ['data'], (object) => ({ ...object, ...to }));
    expect(faults('revision-rejected', change({ signature: null }))).not.toEqual([]);
    expect(faults('revision-rejected', change({ signedAt: null }))).not.toEqual([]);
    expect(faults('revision-rejected', change({ signature: null, signedAt: null }))).toEqual([]);
  });
});

/** What the log adds to an event where all of it is shown. */
const STORED = {
  salt: 'AAAAAAAAAAAAAAAAAAAAAA',
  metadata: {
    commandId: 'f5a636f1-b5d4-5521-b4bb-6dd01a2ba416',
    requestDigest: 'EixzToIN05H7uwySM9C3emWArSgZSAnmXZg5DZAxVsw',
    actor: { principal: 'owner', agent: null, tenant: 'tenant' },
    correlationId: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
    causationId: null,
    traceparent: null,
    basedOn: {},
  },
};
const SEALED = 'A'.repeat(64);

/** The service's own books are shown to nobody. */
const BOOKS = {
  ...CALENDAR_EVENT_TYPES,
  ...KEY_STORE_EVENT_TYPES,
  ...PROCESS_EVENT_TYPES,
  ...RETENTION_EVENT_TYPES,
};
const shown = samples.filter(([type]) => !Object.hasOwn(BOOKS, type));

describe('an event that is shown as the log stores it', () => {
  it.each(shown)('%s, sample %i: with what is stored of it, all or nothing', (type, _, event) => {
    const sealed = event.texts === null ? null : SEALED;
    const stored: Members = { ...event, sealed, ...STORED };
    expect(faults(type, stored)).toEqual([]);
    for (const member of ['sealed', 'salt', 'metadata']) {
      const { [member]: _dropped, ...rest } = stored;
      expect([member, faults(type, rest).length > 0]).toEqual([member, true]);
      const wrong = { ...stored, [member]: 1 };
      expect([member, faults(type, wrong).length > 0]).toEqual([member, true]);
    }
  });

  it.each(shown)('%s, sample %i: without texts only where they are sealed', (type, _, event) => {
    const { texts, ...rest } = event;
    const shownSealed = { ...rest, sealed: SEALED, ...STORED };
    expect(faults(type, shownSealed).length === 0).toBe(texts !== null);
    expect(faults(type, { ...rest, sealed: null, ...STORED })).not.toEqual([]);
    expect(
      faults(type, { ...event, sealed: texts === null ? SEALED : null, ...STORED }),
    ).not.toEqual([]);
  });
});

const envelope: EventEnvelope = {
  id: 'f5a636f1-b5d4-5521-b4bb-6dd01a2ba416',
  type: 'agent-registered',
  stream: 'agent-did:web:a.example',
  revision: 0,
  recordedAt: '2030-01-01T00:00:00.000Z' as Timestamp,
  schemaVersion: 1,
  data: {},
  sealed: null,
  salt: 'AAAAAAAAAAAAAAAAAAAAAA',
  metadata: {
    commandId: 'f5a636f1-b5d4-5521-b4bb-6dd01a2ba416',
    requestDigest: 'EixzToIN05H7uwySM9C3emWArSgZSAnmXZg5DZAxVsw',
    actor: { principal: 'owner', agent: 'agent-alpha', tenant: 'tenant' },
    correlationId: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
    causationId: null,
    traceparent: null,
    basedOn: { 'agent-agent-alpha': 3 },
  },
};

describe('the envelope', () => {
  it.each([
    {},
    { stream: 'interaction-7c9e6679-7425-40de-944b-e07fc1f90ae7' },
    { stream: 'capability-did:web:a.example/translate' },
    { stream: 'platform-keys' },
    { stream: 'log' },
    { sealed: 'A'.repeat(64) },
    {
      metadata: {
        ...envelope.metadata,
        actor: { principal: 'process:expiry', agent: null, tenant: null },
      },
    },
  ])('takes %j', (change) => {
    expect(faults('envelope', { ...envelope, ...change })).toEqual([]);
  });

  it.each([
    { extra: 1 },
    { id: '00000000-0000-0000-0000-000000000000' },
    { type: 'AgentRegistered' },
    { stream: 'agent-a/b/c' },
    { stream: 'Agent-a' },
    { revision: -1 },
    { recordedAt: '2030-01-01T00:00:00Z' },
    { recordedAt: '2030-01-01T00:00:00.000+00:00' },
    { schemaVersion: 0 },
    { data: null },
    { sealed: '' },
    { salt: 'AAAAAAAAAAAAAAAAAAAAAB' },
    { salt: 'AAAA' },
    { metadata: { ...envelope.metadata, extra: 1 } },
    { metadata: { ...envelope.metadata, basedOn: { a: 'b' } } },
    { metadata: { ...envelope.metadata, actor: { principal: '', agent: null, tenant: null } } },
  ])('refuses %j', (change) => {
    expect(faults('envelope', { ...envelope, ...change })).not.toEqual([]);
  });

  it('needs each of its members', () => {
    for (const path of [[], ['metadata'], ['metadata', 'actor']]) {
      for (const member of Object.keys(at(envelope, path))) {
        const changed = edit(envelope, path, ({ [member]: _dropped, ...rest }) => rest);
        expect([member, faults('envelope', changed).length > 0]).toEqual([member, true]);
      }
    }
  });
});

type Path = readonly string[];
type Members = Readonly<Record<string, unknown>>;

/** Objects of a manifest that may have any members. */
const OPEN: ReadonlySet<string | undefined> = new Set([
  'limits',
  'inputSchema',
  'outputSchema',
  'backend',
]);

/** Paths to all objects (not arrays) within a value, itself included. */
function objectsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  // Signatures of a contract are a map, which is empty.
  if (path.at(-1) === 'signatures') return [path];
  if (OPEN.has(path.at(-1))) return [];
  const within = Object.entries(value).flatMap(([name, child]) =>
    objectsOf(child, [...path, name]),
  );
  return Array.isArray(value) ? within : [path, ...within];
}

function at(value: unknown, path: Path): Members {
  return path.reduce((found, name) => (found as Members)[name], value) as Members;
}

function edit(value: unknown, path: Path, change: (object: Members) => Members): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return change(value as Members);
  if (Array.isArray(value))
    return value.with(Number(name), edit(value[Number(name)], rest, change));
  const object = value as Members;
  return { ...object, [name]: edit(object[name], rest, change) };
}
