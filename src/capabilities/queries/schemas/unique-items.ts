import type { FuncKeywordDefinition } from 'ajv/dist/2020.js';
import { canonicalJson } from '../../../kernel/canonical-json.js';
import { stepsFor } from './schema-costs.js';
import type { WorkBudget } from './work-budget.js';

/**
 * The keyword `uniqueItems`, in time proportional to what the items are written with: Ajv compares
 * each with each. Items are equal that are the same in the canonical form.
 */
export function uniqueItemsKeyword(budget: WorkBudget): FuncKeywordDefinition {
  return {
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    errors: false,
    error: { message: 'must NOT have duplicate items' },
    validate: (mustBeUnique: boolean, items: readonly unknown[]): boolean => {
      if (!mustBeUnique) return true;
      const seen = new Set<string>();
      for (const item of items) {
        const text = canonicalJson(item);
        budget.spend(1 + stepsFor(text.length));
        if (seen.has(text)) return false;
        seen.add(text);
      }
      return true;
    },
  };
}
