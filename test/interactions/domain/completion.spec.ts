import { describe, expect, it } from '@jest/globals';
import type { OutcomeReport } from '../../../src/interactions/domain/outcome-report.js';
import { given } from '../../support/given-when-then.js';
import {
  accept,
  alpha,
  beta,
  complete,
  contract,
  gamma,
  propose,
  reportOn,
  revise,
  Scene,
} from '../../support/interaction-fixtures.js';
import { STATES } from '../../support/interaction-states.js';

const terms = contract({
  successCriteria: ['complete', 'fluent', 'complete'],
  completionConditions: ['delivered'],
  evidenceRequirements: [],
});
const active = Scene.empty.perform(propose(alpha, { contract: terms }), accept(beta));
const full = reportOn(terms);

describe('an outcome report', () => {
  it.each<readonly [string, OutcomeReport]>([
    ['answers every entry', full],
    ['answers in another order', { ...full, successCriteria: full.successCriteria.toReversed() }],
    ['says that all was missed', reportOn(terms, 'missed')],
  ])('is taken when it %s', (_, report) => {
    given(active).when(complete(beta, { report })).then('outcome-reported');
  });

  it.each<readonly [string, OutcomeReport, string]>([
    [
      'leaves out an entry',
      { ...full, successCriteria: full.successCriteria.slice(1) },
      '/report/successCriteria',
    ],
    [
      'leaves out the entry that sorts last',
      { ...full, successCriteria: full.successCriteria.toSpliced(1, 1) },
      '/report/successCriteria',
    ],
    [
      'answers an entry twice in place of another',
      {
        ...full,
        successCriteria: reportOn({ ...terms, successCriteria: ['fluent', 'fluent', 'complete'] })
          .successCriteria,
      },
      '/report/successCriteria',
    ],
    [
      'answers what was not asked',
      { ...full, evidenceRequirements: full.completionConditions },
      '/report/evidenceRequirements',
    ],
    [
      'answers in one list what stands in another',
      reportOn({ ...terms, completionConditions: ['fluent'] }),
      '/report/completionConditions',
    ],
    [
      'spells an entry otherwise',
      reportOn({ ...terms, completionConditions: ['Delivered'] }),
      '/report/completionConditions',
    ],
  ])('is refused when it %s', (_, report, pointer) => {
    const rejection = given(active).when(complete(beta, { report })).refused('report-incomplete');
    expect(rejection.faults?.map((fault) => fault.pointer)).toEqual([pointer]);
  });

  it('is about the terms in force, not about an open amendment', () => {
    const amended = active.perform(revise(alpha, { ...terms, completionConditions: ['printed'] }));
    given(amended)
      .when(complete(beta, { report: reportOn({ ...terms, completionConditions: ['printed'] }) }))
      .refused('report-incomplete');
    given(amended).when(complete(beta)).then('outcome-reported');
  });

  it('is kept as it was written', () => {
    const report = reportOn(terms, 'partial');
    const { events } = given(active).when(complete(beta, { report }));
    expect(events[0]?.texts).toEqual({ report });
  });
});

describe('completion', () => {
  it('comes with the last party’s report, in the same decision', () => {
    const parties = [alpha.agentId, beta.agentId, gamma.agentId];
    const three = Scene.empty.perform(
      propose(alpha, { contract: { ...terms, parties } }),
      accept(beta),
      accept(gamma),
      complete(gamma),
      complete(alpha),
    );
    expect(three.interaction.status).toBe('active');
    const { events } = given(three).when(complete(beta));
    expect(events.map(({ type }) => type)).toEqual(['outcome-reported', 'interaction-completed']);
    expect(events[1]?.data).toEqual({
      interactionId: three.interaction.interactionId,
      termsHash: three.interaction.revisions[0]?.termsHash,
    });
  });

  it('needs every report again after an amendment came into force', () => {
    const amended = STATES['active-partly-reported'].perform(
      revise(beta, contract({ retentionDays: 3 })),
      accept(alpha),
    );
    const reported = given(amended).when(complete(beta)).then('outcome-reported');
    given(reported).when(complete(alpha)).then('outcome-reported', 'interaction-completed');
  });
});
