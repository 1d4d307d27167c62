import { describe, it } from '@jest/globals';
import fc from 'fast-check';
import type { AcceptancePolicy } from '../../src/agents/domain/events.js';
import { policyCovers } from '../../src/interactions/domain/policy-covers.js';
import type { Contract } from '../../src/kernel/federated-interaction.js';
import { contract } from '../support/interaction-fixtures.js';
import { RUNS } from '../support/property-runs.js';

const word = fc.constantFrom('translate', 'proofread', 'publish', 'Translate', '*', '');
const words = fc.uniqueArray(word, { maxLength: 4 });
/** On both sides of the 30 days below which a policy takes its ceiling alone. */
const days = fc.oneof(fc.nat({ max: 5 }), fc.integer({ min: 28, max: 34 }));

const policies: fc.Arbitrary<AcceptancePolicy> = fc.record({
  taskCategories: words,
  allowedActions: words,
  maxRetentionDays: days,
});

const plain: fc.Arbitrary<Contract> = fc
  .record({ taskCategory: word, allowedActions: words, retentionDays: days })
  .map((terms) => contract(terms));

describe('a policy', () => {
  it('covers no more once it allows less', () => {
    fc.assert(
      fc.property(policies, plain, fc.nat(), (policy, terms, which) => {
        const without = (list: readonly string[]) => list.toSpliced(which % (list.length + 1), 1);
        const narrower: readonly AcceptancePolicy[] = [
          { ...policy, taskCategories: without(policy.taskCategories) },
          { ...policy, allowedActions: without(policy.allowedActions) },
          // Not below 30 days, where a lower ceiling asks for less.
          { ...policy, maxRetentionDays: Math.max(30, policy.maxRetentionDays - 1) },
        ].filter(({ maxRetentionDays }) => maxRetentionDays <= policy.maxRetentionDays);
        return policyCovers(policy, terms) || !narrower.some((less) => policyCovers(less, terms));
      }),
      RUNS,
    );
  });

  it('covers nothing with data or approvals, whatever it allows', () => {
    const burdens = fc.constantFrom(
      'allowedData' as const,
      'prohibitedData' as const,
      'humanApprovalRequirements' as const,
      'delegationRules' as const,
    );
    fc.assert(
      fc.property(plain, burdens, word, (terms, burden, text) => {
        const policy: AcceptancePolicy = {
          taskCategories: [terms.taskCategory],
          allowedActions: terms.allowedActions,
          maxRetentionDays: terms.retentionDays,
        };
        return policyCovers(policy, terms) && !policyCovers(policy, { ...terms, [burden]: [text] });
      }),
      RUNS,
    );
  });
});
