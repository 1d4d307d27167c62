import { describe, expect, it } from '@jest/globals';
import type { InvocationEvent } from '../../src/invocations/domain/events.js';
import {
  evolveInvocation,
  isInvocation,
  type Invocation,
  type InvocationState,
} from '../../src/invocations/domain/invocation.js';
import { INVOCATION_EVENT_TYPES } from '../../src/invocations/event-types.js';
import { ERASED, fold, type Recorded } from '../../src/kernel/event.js';
import {
  expectSchemasToHold,
  readStored,
  replay,
  replayErased,
  type StoredLog,
} from './stored-log.js';

type Golden = StoredLog & { readonly outcomes: Readonly<Record<string, string | null>> };

/** Calls with a token and without, ended and not, when entitlement was all that was asked for. */
const byEntitlement = readStored<Golden>(new URL('./invocations.json', import.meta.url));
/** Approved and denied, used and waiting, admitted at once and refused. */
const byContract = readStored<Golden>(new URL('./invocations-by-contract.json', import.meta.url));

type Events = readonly Recorded<InvocationEvent>[];

function callIn(events: Events, invocationId: string): Invocation {
  const own = events.filter(({ data }) => data.invocationId === invocationId);
  const call = fold<InvocationState, InvocationEvent>(evolveInvocation, null, own);
  if (!isInvocation(call)) throw new Error(`${invocationId} is no call`);
  return call;
}

it('the logs hold every type of event', () => {
  const types = new Set([byEntitlement, byContract].flatMap(({ events }) => events.map(typeOf)));
  expect([...types].sort()).toEqual(Object.keys(INVOCATION_EVENT_TYPES).sort());
});

describe.each([
  ['by entitlement', byEntitlement],
  ['by contract', byContract],
])('the log of calls %s', (_, log) => {
  it('matches the schemas of its events', () => {
    expectSchemasToHold(log, INVOCATION_EVENT_TYPES);
  });

  it('folds to the same calls', () => {
    const events = replay<InvocationEvent>(log, INVOCATION_EVENT_TYPES);
    for (const [invocationId, outcome] of Object.entries(log.outcomes)) {
      const { call, ended } = callIn(events, invocationId);
      expect(call).toMatchObject({ invocationId, skillId: 'reconcile-invoice' });
      expect(ended?.outcome ?? null).toBe(outcome);
    }
  });
});

it('a call of before contracts was admitted by entitlement, with nothing else known', () => {
  const events = replay<InvocationEvent>(byEntitlement, INVOCATION_EVENT_TYPES);
  for (const invocationId of Object.keys(byEntitlement.outcomes)) {
    const { call, approval, admission, ended } = callIn(events, invocationId);
    expect(call).toMatchObject({ terms: null, action: null, data: [], argumentsDigest: null });
    expect(admission).toMatchObject({ rule: 'entitlement', approval: null });
    expect([approval, ended?.resultDigest ?? null]).toEqual([null, null]);
  }
});

it('approvals tell who gave them and why, until that is erased', () => {
  const used = Object.keys(byContract.outcomes)[0]!;
  const call = callIn(replay(byContract, INVOCATION_EVENT_TYPES), used);
  expect(call.approval).toMatchObject({
    entries: ['reconcile', 'Ask Ms Miller before any payment.'],
    decision: { verdict: 'approved', by: { principal: 'approver' }, reason: 'Known supplier.' },
  });
  expect(call.admission?.approval).toMatchObject({ by: { principal: 'approver' } });
  const erased = callIn(replayErased(byContract, INVOCATION_EVENT_TYPES), used);
  expect(erased).toEqual({
    ...call,
    approval: {
      ...call.approval,
      entries: ERASED,
      decision: { ...call.approval?.decision, reason: ERASED },
    },
  });
});

function typeOf({ type }: { readonly type: string }): string {
  return type;
}
