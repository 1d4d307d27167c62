import { describe, it } from '@jest/globals';
import fc from 'fast-check';
import { reportAnswers } from '../../src/interactions/domain/report-rules.js';
import { contract, reportOn } from '../support/interaction-fixtures.js';
import { RUNS } from '../support/property-runs.js';

const LISTS = ['successCriteria', 'completionConditions', 'evidenceRequirements'] as const;

/** Few letters, so that entries repeat within a list and across lists. */
const entries = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 5 });
const asked = fc.record({
  successCriteria: entries,
  completionConditions: entries,
  evidenceRequirements: entries,
});

describe('an outcome report', () => {
  it('answers the contract in whatever order it answers', () => {
    fc.assert(
      fc.property(
        asked.chain((lists) =>
          fc.record({
            lists: fc.constant(lists),
            answered: fc.record({
              successCriteria: shuffled(lists.successCriteria),
              completionConditions: shuffled(lists.completionConditions),
              evidenceRequirements: shuffled(lists.evidenceRequirements),
            }),
          }),
        ),
        ({ lists, answered }) =>
          reportAnswers(reportOn(contract(answered)), contract(lists)) === undefined,
      ),
      RUNS,
    );
  });

  it('does not with one answer more, fewer or to something else', () => {
    fc.assert(
      fc.property(asked, fc.constantFrom(...LISTS), fc.nat(), (lists, list, which) => {
        const items: readonly string[] = lists[list];
        const at = which % (items.length + 1);
        const wrong = [
          items.toSpliced(at, 0, 'a'),
          ...(items.length > 0
            ? [
                items.toSpliced(at % items.length, 1),
                items.with(at % items.length, 'something else'),
              ]
            : []),
        ];
        return wrong.every((answered) => {
          const report = reportOn(contract({ ...lists, [list]: answered }));
          const rejection = reportAnswers(report, contract(lists));
          return rejection?.faults?.[0]?.pointer === `/report/${list}`;
        });
      }),
      RUNS,
    );
  });
});

function shuffled(items: readonly string[]): fc.Arbitrary<string[]> {
  return fc.shuffledSubarray([...items], { minLength: items.length });
}
