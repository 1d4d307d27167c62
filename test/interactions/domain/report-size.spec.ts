import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { reportFits } from '../../../src/interactions/domain/report-rules.js';
import type { Contract } from '../../../src/kernel/federated-interaction.js';
import { parseStrictJson } from '../../../src/kernel/strict-json.js';
import { given } from '../../support/given-when-then.js';
import {
  accept,
  alpha,
  beta,
  contract,
  propose,
  revise,
  Scene,
} from '../../support/interaction-fixtures.js';
import { RUNS } from '../../support/property-runs.js';

type Entries = Pick<Contract, 'successCriteria' | 'completionConditions' | 'evidenceRequirements'>;

/** The request by which an agent with the longest of names says that it does not know. */
function completion(entries: Entries): Uint8Array {
  const answers = (items: readonly string[]): object[] =>
    items.map((item) => ({ item, verdict: 'unknown', references: [] }));
  const body = {
    agentId: 'a'.repeat(160),
    head: { revision: 200, status: 'superseded', termsHash: 'h'.repeat(43) },
    report: {
      successCriteria: answers(entries.successCriteria),
      completionConditions: answers(entries.completionConditions),
      evidenceRequirements: answers(entries.evidenceRequirements),
    },
    signature: { keyId: 'k'.repeat(160), value: 's'.repeat(256), signedAt: 't'.repeat(64) },
  };
  return new TextEncoder().encode(JSON.stringify(body));
}

const times = (count: number, entry: string): string[] =>
  Array.from({ length: count }, () => entry);

const entry = fc.oneof(
  fc.constantFrom('', 'c', '"', '\\', '\n', 'ä', '–', '🙂', '\u0001'),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
);

/** Around the limit, by how many and how long they are. */
const entries = fc
  .tuple(entry, fc.integer({ min: 1, max: 12_000 }), fc.integer({ min: 0, max: 3_000 }))
  .map(([each, count, more]): Entries => {
    return {
      successCriteria: times(count, each),
      completionConditions: times(more, 'delivered'),
      evidenceRequirements: [],
    };
  });

describe('terms', () => {
  it('that are taken can be reported on, by whomever and whatever is to be said', () => {
    fc.assert(
      fc.property(entries, (each) => {
        const fits = reportFits(contract(each)) === undefined;
        if (fits) expect(parseStrictJson(completion(each)).ok).toBe(true);
      }),
      { ...RUNS, numRuns: 60 },
    );
  });

  it('are not refused long before that', () => {
    const longest = (fits: (count: number) => boolean): number => {
      let [low, high] = [0, 12_000];
      while (high - low > 1) {
        const middle = Math.floor((low + high) / 2);
        if (fits(middle)) low = middle;
        else high = middle;
      }
      return low;
    };
    for (const each of ['c', 'criterion'.repeat(20)]) {
      const of = (count: number): Entries => ({
        successCriteria: times(count, each),
        completionConditions: [],
        evidenceRequirements: [],
      });
      const taken = longest((count) => reportFits(contract(of(count))) === undefined);
      const possible = longest((count) => parseStrictJson(completion(of(count))).ok);
      expect(taken).toBeLessThanOrEqual(possible);
      expect(taken).toBeGreaterThan(possible * 0.98);
    }
  });

  it('that nobody could report on are neither proposed nor revised to', () => {
    const successCriteria = Array.from({ length: 6_000 }, (_, index) => `c${String(index)}`);
    const terms = contract({ successCriteria });
    given(Scene.empty)
      .when(propose(alpha, { contract: terms }))
      .refused('contract-invalid');
    const pending = Scene.empty.perform(propose(alpha));
    given(pending).when(revise(beta, terms)).refused('contract-invalid');
    given(pending.perform(accept(beta)))
      .when(revise(beta, terms))
      .refused('contract-invalid');
  });
});
