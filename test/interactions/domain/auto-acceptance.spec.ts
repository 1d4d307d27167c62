import { describe, expect, it } from '@jest/globals';
import type { Contract } from '../../../src/kernel/federated-interaction.js';
import { termsHash } from '../../../src/kernel/terms.js';
import { given } from '../../support/given-when-then.js';
import {
  accept,
  alpha,
  autoAccept,
  beta,
  changed,
  contract,
  DEADLINE_MS,
  GENEROUS_POLICY,
  gamma,
  propose,
  retired,
  revise,
  Scene,
  withPolicy,
} from '../../support/interaction-fixtures.js';
import { STATES } from '../../support/interaction-states.js';

const automatic = withPolicy(beta);

function offered(terms: Partial<Contract>): Scene {
  return Scene.empty.with(automatic).perform(propose(alpha, { contract: contract(terms) }));
}

describe('a policy', () => {
  it('accepts in the server’s words: method, moment and the policy itself', () => {
    const scene = offered({});
    const { events } = given(scene).when(autoAccept(automatic));
    expect(events[0]?.data).toMatchObject({
      revision: 1,
      policyRevision: 7,
      acceptance: {
        agentId: beta.agentId,
        method: 'policy_auto_accept',
        termsHash: scene.interaction.revisions[0]?.termsHash,
        acceptedAt: scene.now,
      },
    });
    expect(events[0]?.data).not.toHaveProperty('acceptance.signature');
  });

  it.each<readonly [string, Partial<Contract>]>([
    ['exactly the listed category', {}],
    ['several listed actions', { allowedActions: ['proofread', 'translate'] }],
    ['no action at all', { allowedActions: [] }],
    ['retention at the ceiling', { retentionDays: 30 }],
  ])('covers %s', (_, terms) => {
    given(offered(terms))
      .when(autoAccept(automatic))
      .then('revision-accepted', 'revision-attested');
  });

  it.each<readonly [string, Partial<Contract>]>([
    ['another category', { taskCategory: 'summary' }],
    ['the category in other letters', { taskCategory: 'Translation' }],
    ['a longer category', { taskCategory: 'translation/legal' }],
    ['one action beside the list', { allowedActions: ['translate', 'publish'] }],
    ['an action in other letters', { allowedActions: ['TRANSLATE'] }],
    ['a wildcard', { allowedActions: ['*'] }],
    ['retention beyond the ceiling', { retentionDays: 31 }],
    ['retention of less than thirty days', { retentionDays: 29 }],
    ['no retention', { retentionDays: 0 }],
    ['allowed data', { allowedData: ['names'] }],
    ['prohibited data', { prohibitedData: ['credentials'] }],
    ['delegation', { delegationRules: ['any agent of beta'] }],
    ['approvals', { humanApprovalRequirements: ['before delivery'] }],
  ])('leaves %s to a person', (_, terms) => {
    given(offered(terms)).when(autoAccept(automatic)).refused('policy-does-not-apply');
  });

  it('leaves terms to a person by which texts would go earlier than by any before', () => {
    const patient = withPolicy(beta, { ...GENEROUS_POLICY, maxRetentionDays: 90 });
    for (const scene of [
      offered({ retentionDays: 60 }).perform(revise(alpha, contract({ retentionDays: 59 }))),
      offered({ retentionDays: 60 }).perform(
        accept(beta),
        revise(alpha, contract({ retentionDays: 30 })),
      ),
    ]) {
      given(scene.with(patient)).when(autoAccept(patient)).refused('policy-does-not-apply');
    }
    given(
      offered({ retentionDays: 60 })
        .perform(accept(beta), revise(alpha, contract({ retentionDays: 61 })))
        .with(patient),
    )
      .when(autoAccept(patient))
      .then('revision-accepted', 'revision-attested');
  });

  it.each([
    [7, 7, true],
    [7, 6, false],
    [0, 0, true],
    [365, 30, true],
    [365, 29, false],
  ])('with a ceiling of %i days covers %i: %p', (maxRetentionDays, retentionDays, isCovered) => {
    const limited = withPolicy(beta, { ...GENEROUS_POLICY, maxRetentionDays });
    const scene = given(offered({ retentionDays }).with(limited)).when(autoAccept(limited));
    if (isCovered) scene.then('revision-accepted', 'revision-attested');
    else scene.refused('policy-does-not-apply');
  });

  it('applies only while it is still the one that was in force at the proposal', () => {
    given(offered({}))
      .when(autoAccept(automatic, { policyRevision: 6 }))
      .refused('policy-does-not-apply');
    const withdrawn = changed(automatic, { policy: null });
    given(offered({}).with(withdrawn))
      .when(autoAccept(withdrawn, { policyRevision: 7 }))
      .refused('policy-does-not-apply');
    const replaced = changed(automatic, { policy: { rules: GENEROUS_POLICY, revision: 8 } });
    given(offered({}).with(replaced))
      .when(autoAccept(replaced, { policyRevision: 7 }))
      .refused('policy-does-not-apply');
  });

  it('applies only while the agent permits the method', () => {
    const strict = changed(automatic, { methods: ['ed25519'] });
    given(offered({}).with(strict)).when(autoAccept(strict)).refused('method-not-permitted');
  });

  it('does not accept what is no longer the newest revision', () => {
    const countered = offered({}).perform(revise(alpha, contract({ retentionDays: 3 })));
    const rejection = given(countered)
      .when(autoAccept(automatic, { revision: 1 }))
      .refused('head-changed');
    expect(rejection.head?.revision).toBe(2);
  });

  it('does not accept other terms than the process found', () => {
    given(offered({}))
      .when(autoAccept(automatic, { termsHash: termsHash(contract({ retentionDays: 3 })) }))
      .refused('head-changed');
  });

  it('does not accept for a retired agent, nor past the deadline, nor blindly', () => {
    const gone = retired(automatic);
    given(offered({}).with(gone)).when(autoAccept(gone)).refused('agent-retired');
    given(offered({}).at(DEADLINE_MS)).when(autoAccept(automatic)).refused('deadline-passed');
    given(offered({}).erased()).when(autoAccept(automatic)).refused('interaction-erased');
  });

  it('accepts amendments as well, and is one acceptance of several', () => {
    given(STATES['active-with-open-amendment'].with(automatic))
      .when(autoAccept(automatic))
      .then('revision-accepted', 'revision-attested');
    const parties = [alpha.agentId, beta.agentId, gamma.agentId];
    given(offered({ parties })).when(autoAccept(automatic)).then('revision-accepted');
  });
});
