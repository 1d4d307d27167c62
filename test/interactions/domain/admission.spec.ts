import { describe, expect, it } from '@jest/globals';
import { headOf } from '../../../src/interactions/domain/head.js';
import type { Head } from '../../../src/kernel/rejection.js';
import { termsHash } from '../../../src/kernel/terms.js';
import { given } from '../../support/given-when-then.js';
import {
  accept,
  alpha,
  beta,
  cancel,
  complete,
  contract,
  gamma,
  propose,
  reject,
  revise,
  Scene,
  stranger,
  withdraw,
  type Act,
  type Party,
  type Twist,
} from '../../support/interaction-fixtures.js';
import { STATES } from '../../support/interaction-states.js';

const ACTS: readonly (readonly [string, (who: Party, twist: Twist) => Act])[] = [
  ['revise', (who, twist) => revise(who, contract({ retentionDays: 3 }), twist)],
  ['accept', accept],
  ['reject', reject],
  ['withdraw', withdraw],
  ['cancel', cancel],
  ['complete', complete],
];

const open = STATES['active-with-open-amendment'];
const head = headOf(open.interaction);

describe.each(ACTS)('%s', (_, make) => {
  it.each<readonly [string, Partial<Head>]>([
    ['revision', { revision: head.revision - 1 }],
    ['status', { status: 'accepted' }],
    ['terms hash', { termsHash: termsHash({ other: true }) }],
  ])('against a head of another %s is refused, naming the head', (__, other) => {
    const rejection = given(open)
      .when(make(beta, { head: { ...head, ...other } }))
      .refused('head-changed');
    expect(rejection.head).toEqual(head);
  });

  it('on an ended interaction is refused as ended, however old its head, naming the head', () => {
    const ended = STATES.completed;
    const rejection = given(ended).when(make(beta, { head })).refused('interaction-ended');
    expect(rejection.head).toEqual(headOf(ended.interaction));
  });

  it('on an interaction that expired by the clock names the head that the expiry leaves', () => {
    const expired = open.at(Date.parse(open.interaction.expiresAt));
    const rejection = given(expired).when(make(beta, { head })).refused('interaction-ended');
    expect(rejection.head).toEqual({ ...head, status: 'rejected' });
  });

  it.each([
    ['of another tenant', { ...beta.ownerToken, tenant: 'tenant-of-somebody' }],
    ['bound to the other party', alpha.token],
    ['bound to another agent of the owner', { ...beta.ownerToken, agent: gamma.agentId }],
    ['of neither client nor owner', { ...beta.token, principal: 'x', client: 'x', agent: null }],
  ])('by a token %s finds nothing', (__, token) => {
    const rejection = given(open).when(make(beta, { token })).refused('interaction-not-found');
    expect(rejection).toEqual({ code: 'interaction-not-found' });
  });

  it('by a process of the service finds nothing: agents act through tokens', () => {
    const { command } = make(beta, {})(open);
    given(open)
      .when(() => ({ command, caller: undefined }))
      .refused('interaction-not-found');
  });

  it('by a party whose stream is unknown finds nothing', () => {
    given(open.without(beta)).when(make(beta, {})).refused('interaction-not-found');
  });

  it('by a stranger tells neither the head nor that the interaction has ended or is erased', () => {
    for (const scene of [STATES.none, open, open.erased(), STATES.completed]) {
      const rejection = given(scene)
        .when(make(stranger, { proof: 'none', head: { ...head, revision: 9 } }))
        .refused('interaction-not-found');
      expect(rejection).toEqual({ code: 'interaction-not-found' });
    }
  });

  it('on erased texts is refused: its own could not be sealed', () => {
    given(open.erased()).when(make(beta, {})).refused('interaction-erased');
  });
});

describe('the head', () => {
  const three = contract({ parties: [alpha.agentId, beta.agentId, gamma.agentId] });
  const proposed = Scene.empty.perform(propose(alpha, { contract: three }));

  it('stays while the last acceptance is missing, so that parties may accept side by side', () => {
    const before = headOf(proposed.interaction);
    const one = proposed.perform(accept(beta, { head: before }));
    expect(headOf(one.interaction)).toEqual(before);
    given(one)
      .when(accept(gamma, { head: before }))
      .then('revision-accepted', 'revision-attested');
  });

  it('moves with the acceptance that completes, with a counter-proposal and with a rejection', () => {
    const before = headOf(STATES['pending-r1'].interaction);
    const amendment = contract({ retentionDays: 3 });
    for (const act of [accept(beta), revise(beta, amendment), reject(beta), cancel(beta)]) {
      expect(headOf(STATES['pending-r1'].perform(act).interaction)).not.toEqual(before);
    }
  });
});
