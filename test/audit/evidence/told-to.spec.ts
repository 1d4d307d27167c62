import { describe, expect, it } from '@jest/globals';
import { isToldTo } from '../../../src/audit/evidence/told-to.js';
import type { AgentEvent } from '../../../src/agents/domain/events.js';
import { AGENT_EVENT_TYPES } from '../../../src/agents/event-types.js';
import type { Caller, Scope } from '../../../src/kernel/caller.js';

const TYPES = Object.keys(AGENT_EVENT_TYPES) as AgentEvent['type'][];
const TODAY = TYPES.map((type) => ({
  type,
  schemaVersion: AGENT_EVENT_TYPES[type].schemaVersion,
}));
const OPEN_POLICY = { type: 'agent-policy-changed', schemaVersion: 1 };

function caller(tenant: string, ...scopes: readonly Scope[]): Caller {
  const set = new Set(scopes);
  return { principal: 'p', client: null, agent: null, tenant, scopes: set, allScopes: set };
}

describe('of a party’s events', () => {
  it.each([
    ['its own tenant', caller('acme'), true],
    ['whoever audits every tenant', caller('other', 'audit:read-all'), true],
    ['another tenant', caller('other'), false],
    ['another tenant’s auditor', caller('other', 'audit:read'), false],
    ['an operator', caller('other', 'operator:read'), false],
  ])('%s is told all, but policies in the clear only where they are its own', (_, who, own) => {
    const isTold = isToldTo(who, { tenant: 'acme' });
    expect(TODAY.filter((event) => !isTold(event))).toEqual([]);
    expect(isTold(OPEN_POLICY)).toBe(own);
  });
});
