import { describe, expect, it } from '@jest/globals';
import { isAcceptancePolicy } from '../../../src/agents/domain/policy-shape.js';

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
});
