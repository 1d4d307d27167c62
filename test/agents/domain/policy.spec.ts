import { describe, expect, it } from '@jest/globals';
import { isAcceptancePolicy, policyApplies } from '../../../src/agents/domain/policy.js';
import { agentAfter, change, register } from '../support/agents.js';

const policy = {
  taskCategories: ['translation'],
  allowedActions: ['translate'],
  maxRetentionDays: 30,
};
const texts = (count: number): string[] => Array.from({ length: count }, (_, i) => String(i));

describe('a policy', () => {
  it.each([
    [{}, true],
    [{ taskCategories: texts(100) }, true],
    [{ taskCategories: texts(101) }, false],
    [{ taskCategories: [] }, false],
    [{ taskCategories: ['a', 'a'] }, false],
    [{ taskCategories: [''] }, false],
    [{ taskCategories: ['x'.repeat(1001)] }, false],
    [{ taskCategories: 'translation' }, false],
    [{ taskCategories: { 0: 'a', length: 1 } }, false],
    [{ allowedActions: [] }, false],
    [{ allowedActions: [1] }, false],
    [{ allowedActions: undefined }, false],
    [{ maxRetentionDays: 0 }, true],
    [{ maxRetentionDays: 36_500 }, true],
    [{ maxRetentionDays: 36_501 }, false],
    [{ maxRetentionDays: -1 }, false],
    [{ maxRetentionDays: 1.5 }, false],
    [{ maxRetentionDays: '30' }, false],
    [{ allowedData: [] }, false],
  ])('with %j: %s', (overrides, expected) => {
    expect(isAcceptancePolicy({ ...policy, ...overrides })).toBe(expected);
  });

  it.each([null, undefined, 'policy', 7, [], [policy], {}])('is never %j', (value) => {
    expect(isAcceptancePolicy(value)).toBe(false);
  });

  it('applies only while the methods allow auto-acceptance', () => {
    const set = { command: change({ kind: 'change-policy', policy }, 0) };
    expect(policyApplies(agentAfter({ command: register() }))).toBe(false);
    expect(policyApplies(agentAfter({ command: register() }, set))).toBe(false);
    const auto = { command: register({ methods: ['policy_auto_accept'] }) };
    expect(policyApplies(agentAfter(auto))).toBe(false);
    expect(policyApplies(agentAfter(auto, set))).toBe(true);
  });
});
