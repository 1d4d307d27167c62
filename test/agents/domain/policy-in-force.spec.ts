import { describe, expect, it } from '@jest/globals';
import { policyInForce } from '../../../src/agents/domain/policy-in-force.js';
import { agentAfter, change, register } from '../support/agents.js';

const policy = {
  taskCategories: ['translation'],
  allowedActions: ['translate'],
  maxRetentionDays: 30,
};
const byToken = { command: register() };
const byPolicy = { command: register({ methods: ['policy_auto_accept'] }) };
const set = { command: change({ kind: 'change-policy', policy }, 0) };

describe('a policy is in force', () => {
  it('only while the methods allow auto-acceptance', () => {
    expect(policyInForce(agentAfter(byToken))).toBeUndefined();
    expect(policyInForce(agentAfter(byToken, set))).toBeUndefined();
    expect(policyInForce(agentAfter(byPolicy))).toBeUndefined();
    expect(policyInForce(agentAfter(byPolicy, set))).toEqual({ rules: policy, revision: 1 });
  });

  it('until its agent retires', () => {
    const retire = { command: change({ kind: 'retire', reason: undefined }, 1) };
    expect(policyInForce(agentAfter(byPolicy, set, retire))).toBeUndefined();
  });
});
