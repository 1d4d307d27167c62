import { expect, it } from '@jest/globals';
import { subjectOf, type CapabilityEvent } from '../../src/capabilities/domain/events.js';
import { evolveCapability, type CapabilityState } from '../../src/capabilities/domain/evolve.js';
import { CAPABILITY_EVENT_TYPES } from '../../src/capabilities/event-types.js';
import { sha256 } from '../../src/kernel/digest.js';
import { ERASED, fold, type Recorded } from '../../src/kernel/event.js';
import {
  expectSchemasToHold,
  readStored,
  replay,
  replayErased,
  type StoredLog,
} from './stored-log.js';

/** Three capabilities, one of them from preview to a forced removal. */
const log = readStored<StoredLog & { readonly capabilities: Readonly<Record<string, unknown>> }>(
  new URL('./capabilities.json', import.meta.url),
);

function capabilitiesIn(events: readonly Recorded<CapabilityEvent>[]): Record<string, unknown> {
  const ids = new Set(events.map((event) => subjectOf(event).skillId));
  const folded = Array.from(ids, (id) => {
    const own = events.filter((event) => subjectOf(event).skillId === id);
    const state = fold<CapabilityState, CapabilityEvent>(evolveCapability, null, own);
    return [id, state && { ...state, optedIn: [...state.optedIn] }] as const;
  });
  return Object.fromEntries(folded);
}

it('the log holds every type of event', () => {
  const types = new Set(log.events.map(({ type }) => type));
  expect([...types].sort()).toEqual(Object.keys(CAPABILITY_EVENT_TYPES).sort());
});

it('matches the schemas of its events', () => {
  expectSchemasToHold(log, CAPABILITY_EVENT_TYPES);
});

it('folds to the same capabilities, also when the reasons are erased', () => {
  const events = replay<CapabilityEvent>(log, CAPABILITY_EVENT_TYPES);
  expect(capabilitiesIn(events)).toEqual(log.capabilities);
  const erased = replayErased<CapabilityEvent>(log, CAPABILITY_EVENT_TYPES);
  expect(capabilitiesIn(erased)).toEqual(log.capabilities);
});

it('still opens its reasons, and their hashes fit', () => {
  const events = replay<CapabilityEvent>(log, CAPABILITY_EVENT_TYPES);
  const reasons = events.flatMap((event) =>
    event.type === 'capability-state-changed' && event.texts !== ERASED
      ? [[event.texts.reason, event.data.reasonHash] as const]
      : [],
  );
  expect(reasons.map(([reason]) => reason)).toEqual([
    null,
    'Another output: use v2 — “better”',
    'It leaks.',
  ]);
  for (const [reason, hash] of reasons) expect(hash).toBe(reason && sha256(reason));
});
