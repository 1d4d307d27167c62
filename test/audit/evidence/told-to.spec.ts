import { describe, expect, it } from '@jest/globals';
import { isToldTo } from '../../../src/audit/evidence/told-to.js';
import type { AgentEvent } from '../../../src/agents/domain/events.js';
import { AGENT_EVENT_TYPES } from '../../../src/agents/event-types.js';
import type { Caller, Scope } from '../../../src/kernel/caller.js';

const TYPES = Object.keys(AGENT_EVENT_TYPES) as AgentEvent['type'][];
const KEY_HISTORY = ['agent-registered', 'agent-key-added', 'agent-key-revoked'];

function caller(tenant: string, ...scopes: readonly Scope[]): Caller {
  const set = new Set(scopes);
  return { principal: 'p', client: null, agent: null, tenant, scopes: set, allScopes: set };
}

describe('of a party’s events', () => {
  it.each([
    ['its own tenant', caller('acme'), TYPES],
    ['whoever audits every tenant', caller('other', 'audit:read-all'), TYPES],
    ['another tenant', caller('other'), KEY_HISTORY],
    ['another tenant’s auditor', caller('other', 'audit:read'), KEY_HISTORY],
    ['an operator', caller('other', 'operator:read'), KEY_HISTORY],
  ])('%s is told', (_, who, told) => {
    const isTold = isToldTo(who, { tenant: 'acme' });
    expect(TYPES.filter(isTold).sort()).toEqual([...told].sort());
  });
});
