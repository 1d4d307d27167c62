import { describe, expect, it } from '@jest/globals';
import { MAX_CHANGES, MAX_POLICY_CHARACTERS } from '../../../src/agents/domain/limits.js';
import { isAcceptancePolicy } from '../../../src/agents/domain/policy-shape.js';

const policy = {
  taskCategories: ['translation'],
  allowedActions: ['translate'],
  maxRetentionDays: 30,
};
const texts = (count: number): string[] => Array.from({ length: count }, (_, i) => String(i));

/** Each as long as a text may be. */
const LONG = Array.from({ length: 5 }, (_, i) => String(i).repeat(1000));
/** No longer, but for what JSON makes of it. */
const ESCAPED = '\u0001'.repeat(1000);

describe('a policy', () => {
  it.each([
    [{}, true],
    [{ taskCategories: texts(100) }, true],
    [{ taskCategories: LONG.slice(0, 4) }, true],
    [{ taskCategories: LONG }, false],
    [{ taskCategories: [ESCAPED] }, false],
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

  it('is so small that all changes of an agent fit into a bundle that can be verified', () => {
    const bytes = 3 * MAX_POLICY_CHARACTERS;
    const sealed = Math.ceil(((12 + bytes + 16) * 4) / 3);
    // Its proof, metadata and place in the log.
    const event = sealed + 4_000;
    expect(MAX_CHANGES * event).toBeLessThan(256 * 1024 * 1024);
  });

  it.each([null, undefined, 'policy', 7, [], [policy], {}])('is never %j', (value) => {
    expect(isAcceptancePolicy(value)).toBe(false);
  });
});
