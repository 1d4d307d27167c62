import { describe, expect, it } from '@jest/globals';
import type { Proof } from '../../../src/interactions/domain/commands.js';
import { given } from '../../support/given-when-then.js';
import {
  accept,
  alpha,
  beta,
  cancel,
  complete,
  consentToErasure,
  contract,
  foldInteraction,
  MINUTE,
  propose,
  reject,
  revise,
  type Scene,
  withdraw,
  type Act,
  type Party,
  type Twist,
} from '../../support/interaction-fixtures.js';
import { STATES } from '../../support/interaction-states.js';

const other = contract({ requestedOutcome: 'An Austrian text' });

/** Terms, reported on; others in their place, which voids the report; and the first ones again. */
const agreedAnew = STATES['active-partly-reported']
  .perform(revise(beta, other), accept(alpha), revise(beta, contract()), accept(alpha))
  .later(-MINUTE);

/** What everybody who reads the log of a scene has seen of a party's signatures. */
function seen(scene: Scene, { agentId }: Party): readonly Proof[] {
  return scene.log.flatMap(({ data }) => {
    if ('acceptance' in data) {
      const { acceptance } = data;
      const { signature, acceptedAt: at } = acceptance;
      return acceptance.agentId === agentId && signature ? [{ ...signature, at }] : [];
    }
    if (!('signature' in data) || data.agentId !== agentId) return [];
    const { signature, signedAt: at } = data;
    return signature !== null && at !== null ? [{ ...signature, at }] : [];
  });
}

const ACTS: readonly (readonly [string, (who: Party, twist: Twist) => Act])[] = [
  ['propose', propose],
  ['revise', (who, twist) => revise(who, contract({ retentionDays: 3 }), twist)],
  ['accept', accept],
  ['reject', reject],
  ['withdraw', withdraw],
  ['cancel', cancel],
  ['complete', complete],
  ['consent to erasure', consentToErasure],
];

describe('a signature', () => {
  it('on terms that are agreed anew is made anew', () => {
    const [report] = seen(agreedAnew, alpha).slice(1);
    if (report === undefined) throw new Error('alpha has reported');
    const { state } = agreedAnew;
    expect([state?.reports.size, state?.revisions[2]?.termsHash]).toEqual([
      0,
      state?.revisions[0]?.termsHash,
    ]);
    const replayed = complete(alpha, { proof: () => report });
    expect(given(agreedAnew).when(replayed).refused('signature-invalid').detail).toContain(
      'recorded with an earlier act',
    );
    given(agreedAnew).when(complete(alpha)).then('outcome-reported');
    given(agreedAnew).when(complete(beta)).then('outcome-reported');
  });

  it('serves nobody who has only seen it, whatever for, and wherever the interaction stands', () => {
    for (const [name, scene] of Object.entries({ ...STATES, 'agreed-anew': agreedAnew })) {
      for (const who of [alpha, beta]) {
        for (const proof of seen(scene, who)) {
          for (const [act, make] of ACTS) {
            const decision = scene.decide(make(who, { proof: () => proof }));
            expect([name, act, who.agentId, decision.ok]).toEqual([name, act, who.agentId, false]);
          }
        }
      }
    }
  });

  it('is remembered by the state in the order of the log, whichever act it was', () => {
    const closed = STATES['pending-countered'].perform(withdraw(beta));
    const rejected = STATES['active-with-open-amendment'].perform(reject(beta));
    for (const scene of [...Object.values(STATES), agreedAnew, closed, rejected]) {
      const values = scene.state?.signatures ?? [];
      const shown = [alpha, beta].flatMap((who) => seen(scene, who)).map(({ value }) => value);
      expect([...new Set(values)]).toEqual(values);
      for (const value of shown) expect(values).toContain(value);
    }
    expect(agreedAnew.state?.signatures).toHaveLength(7);
  });

  it('that a log has twice is folded as it stands', () => {
    const [report] = STATES['active-partly-reported'].log.slice(-1);
    if (report === undefined) throw new Error('alpha has reported');
    const twice = foldInteraction([...agreedAnew.log, report]);
    expect([...(twice?.reports.keys() ?? [])]).toEqual([alpha.agentId]);
  });
});
