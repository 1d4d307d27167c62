import { describe, expect, it } from '@jest/globals';
import type { DirectInvoke } from '../../../src/capabilities/domain/manifest.js';
import type { JsonObject } from '../../../src/kernel/json.js';
import { given, operator, register, revise } from '../support/given-when-then.js';

const direct = (backend: JsonObject): DirectInvoke => ({
  inputSchema: {},
  outputSchema: {},
  backend,
  allowUnauthenticated: false,
});

const LEDGER = { type: 'http', name: 'ledger' };

describe('RFC section 4, what a manifest says of its backend', () => {
  const withLedger = { directInvoke: direct(LEDGER) };

  it('is what the backend says of itself, in whatever order', () => {
    const bound = { backendSummary: { name: 'ledger', type: 'http' } };
    expect(given().when(register(withLedger), bound)).toEqual(['capability-registered']);
    const changed = { ...withLedger, owner: 'others' };
    expect(given([register(withLedger), bound]).when(revise(changed, 0), bound)).toEqual([
      'capability-revised',
    ]);
  });

  it.each<JsonObject>([
    {},
    { type: 'http' },
    { ...LEDGER, name: 'Ledger' },
    { ...LEDGER, more: 1 },
  ])('is nothing else: %j', (backendSummary) => {
    const code = 'backend-summary-mismatch';
    expect(given().when(register(withLedger), { backendSummary })).toBe(code);
    const before = given(register({ directInvoke: direct(LEDGER) }));
    expect(before.when(revise({ ...withLedger, owner: 'others' }, 0), { backendSummary })).toBe(
      code,
    );
  });

  it('is not judged where the backend is not bound, nor where there is no direct invocation', () => {
    expect(given().when(register(withLedger), { backendSummary: null })).toEqual([
      'capability-registered',
    ]);
    expect(given().when(register(), { backendSummary: LEDGER })).toEqual(['capability-registered']);
  });

  it('tells nothing to whom may not write it', () => {
    const more = { backendSummary: {}, caller: operator([]) };
    expect(given().when(register(withLedger), more)).toBe('scope-missing');
    const foreign = { backendSummary: {}, caller: operator(['capabilities:write'], 'rival') };
    expect(given().when(register(withLedger), foreign)).toBe('agent-not-hosted');
  });
});
