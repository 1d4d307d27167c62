import { expect, it } from '@jest/globals';
import type { InvocationEvent } from '../../src/invocations/domain/events.js';
import { evolveInvocation, type InvocationState } from '../../src/invocations/domain/invocation.js';
import { INVOCATION_EVENT_TYPES } from '../../src/invocations/event-types.js';
import { fold } from '../../src/kernel/event.js';
import { expectSchemasToHold, readStored, replay, type StoredLog } from './stored-log.js';

/** Calls with a token and without, ended and not. */
const log = readStored<StoredLog & { readonly outcomes: Readonly<Record<string, string | null>> }>(
  new URL('./invocations.json', import.meta.url),
);

it('the log holds every type of event', () => {
  const types = new Set(log.events.map(({ type }) => type));
  expect([...types].sort()).toEqual(Object.keys(INVOCATION_EVENT_TYPES).sort());
});

it('matches the schemas of its events', () => {
  expectSchemasToHold(log, INVOCATION_EVENT_TYPES);
});

it('folds to the same calls', () => {
  const events = replay<InvocationEvent>(log, INVOCATION_EVENT_TYPES);
  for (const [invocationId, outcome] of Object.entries(log.outcomes)) {
    const own = events.filter(({ data }) => data.invocationId === invocationId);
    const call = fold<InvocationState, InvocationEvent>(evolveInvocation, null, own);
    expect(call).toMatchObject({ invocationId, skillId: 'reconcile-invoice' });
    expect(call?.ended?.outcome ?? null).toBe(outcome);
  }
});
