import { describe, expect, it } from '@jest/globals';
import {
  MAX_LIFETIME_MS,
  MAX_REVISIONS,
  MAX_TERMS_LENGTH,
} from '../../../src/interactions/domain/contract-rules.js';
import type { Contract } from '../../../src/kernel/federated-interaction.js';
import type { AgentId, InteractionId } from '../../../src/kernel/ids.js';
import type { RejectionCode } from '../../../src/kernel/rejection.js';
import { termsHash } from '../../../src/kernel/terms.js';
import { timestampOf } from '../../../src/kernel/timestamp.js';
import { given } from '../../support/given-when-then.js';
import {
  accept,
  type Act,
  alpha,
  beta,
  changed,
  contract,
  DAY,
  gamma,
  party,
  propose,
  retired,
  revise,
  Scene,
  START_MS,
  stranger,
  type ProposalTwist,
} from '../../support/interaction-fixtures.js';
import { STATES } from '../../support/interaction-states.js';

const another = '11111111-1111-4111-8111-111111111111' as InteractionId;
const many = Array.from({ length: 17 }, (_, n) => party(`agent-${String(n)}`, 20 + n));
const crowd = Scene.empty.with(...many);

function among(...parties: readonly { readonly agentId: AgentId }[]): Contract {
  return contract({ parties: parties.map(({ agentId }) => agentId) });
}

describe('a proposal is refused', () => {
  it.each<readonly [string, RejectionCode, ProposalTwist]>([
    [
      'when its contract names another interaction',
      'contract-mismatch',
      { contract: contract({ interactionId: another }) },
    ],
    [
      'when its contract names another protocol version',
      'contract-mismatch',
      { contract: contract({ protocolVersion: '0.2' as '0.1' }) },
    ],
    [
      'when its contract carries signatures',
      'signatures-not-empty',
      { contract: contract({ signatures: { constructor: {} as never } }) },
    ],
    ['with one party', 'parties-invalid', { contract: among(alpha), responder: beta.agentId }],
    ['with no party', 'parties-invalid', { contract: among(), responder: beta.agentId }],
    ['with a party twice', 'parties-invalid', { contract: among(alpha, beta, beta) }],
    [
      'when the initiator responds to itself',
      'parties-invalid',
      { contract: among(alpha, beta), responder: alpha.agentId },
    ],
    ['when the initiator is no party', 'parties-invalid', { contract: among(beta, gamma) }],
    [
      'when the responder is no party',
      'parties-invalid',
      { contract: among(alpha, beta), responder: gamma.agentId },
    ],
    [
      'when a party is not registered',
      'party-not-registered',
      { contract: among(alpha, beta, party('agent-unknown', 99)) },
    ],
    [
      'when a party is called like a method of objects',
      'party-not-registered',
      { contract: among(alpha, beta, party('hasOwnProperty', 99)) },
    ],
    ['when it expires now', 'expiry-invalid', { expiresAt: timestampOf(START_MS) }],
    [
      'when it lives too long',
      'expiry-invalid',
      { expiresAt: timestampOf(START_MS + MAX_LIFETIME_MS + 1) },
    ],
    [
      'when it lives too long by less than a millisecond',
      'expiry-invalid',
      { expiresAt: '2031-01-02T00:00:00.0000001Z' as never },
    ],
    [
      'when its deadline is now',
      'deadline-invalid',
      { contract: contract({ deadline: timestampOf(START_MS) }) },
    ],
    [
      'when the hash sent is of other terms',
      'terms-hash-mismatch',
      { termsHash: termsHash(contract({ retentionDays: 1 })) },
    ],
  ])('%s', (_, code, twist) => {
    given(Scene.empty).when(propose(alpha, twist)).refused(code);
  });

  it('with 17 parties, though all are registered', () => {
    const [initiator] = many;
    if (initiator === undefined) throw new Error('there are many');
    given(crowd)
      .when(propose(initiator, { contract: among(...many) }))
      .refused('parties-invalid');
  });

  it('when a party is retired, the initiator itself included', () => {
    given(Scene.empty.with(retired(beta)))
      .when(propose(alpha))
      .refused('party-not-registered');
    given(Scene.empty.with(retired(alpha)))
      .when(propose(alpha))
      .refused('agent-retired');
  });

  it.each([
    ['another agent', { token: beta.token }],
    ['another tenant', { token: { ...alpha.ownerToken, tenant: 'elsewhere' } }],
  ])('by a token of %s', (_, twist) => {
    given(Scene.empty).when(propose(alpha, twist)).refused('not-acting-agent');
  });

  it('by an agent that nobody registered, in the same words', () => {
    given(Scene.empty.without(alpha)).when(propose(alpha)).refused('not-acting-agent');
  });

  it('when the id is taken, whoever owns it and whatever else is wrong', () => {
    for (const twist of [{}, { proof: 'none' as const }, { contract: among(stranger) }]) {
      const rejection = given(STATES.completed)
        .when(propose(stranger, twist))
        .refused('interaction-exists');
      expect(rejection).toEqual({ code: 'interaction-exists' });
    }
  });
});

describe('a proposal is taken', () => {
  it.each<readonly [string, ProposalTwist]>([
    ['with the right hash', { termsHash: termsHash(contract()) }],
    ['with the longest life', { expiresAt: timestampOf(START_MS + MAX_LIFETIME_MS) }],
    ['with the shortest life', { expiresAt: '2030-01-01T00:00:00.0000001Z' as never }],
    [
      'with a deadline a moment ahead',
      { contract: contract({ deadline: timestampOf(START_MS + 1) }) },
    ],
  ])('%s', (_, twist) => {
    given(Scene.empty).when(propose(alpha, twist)).then('interaction-proposed');
  });

  it('without a deadline', () => {
    const { deadline: _, ...endless } = contract();
    given(Scene.empty)
      .when(propose(alpha, { contract: endless }))
      .then('interaction-proposed');
  });

  it('with 16 parties, and is in force once all 16 accepted', () => {
    const [initiator, ...others] = many.slice(0, 16);
    if (initiator === undefined) throw new Error('there are many');
    const proposed = crowd.perform(propose(initiator, { contract: among(initiator, ...others) }));
    const last = others.pop();
    if (last === undefined) throw new Error('there are many');
    const waiting = proposed.perform(...others.map((who) => accept(who)));
    expect(waiting.interaction.status).toBe('pending');
    given(waiting).when(accept(last)).then('revision-accepted', 'revision-attested');
  });
});

describe.each([
  ['a counter-proposal', STATES['pending-r1'], contract()],
  ['an amendment', STATES.active, contract()],
] as const)('%s is refused', (_, scene, terms) => {
  it.each<readonly [string, RejectionCode, Partial<Contract>]>([
    [
      'when its contract names another interaction',
      'contract-mismatch',
      { interactionId: another },
    ],
    [
      'when its contract carries signatures',
      'signatures-not-empty',
      { signatures: { [alpha.agentId]: {} as never } },
    ],
    ['when it adds a party', 'parties-changed', among(alpha, beta, gamma)],
    ['when it drops a party', 'parties-changed', among(alpha)],
    ['when it swaps a party', 'parties-changed', among(alpha, gamma)],
    ['when it doubles a party', 'parties-changed', among(alpha, beta, beta)],
    ['when its deadline has passed', 'deadline-invalid', { deadline: timestampOf(START_MS) }],
    ['when it changes nothing', 'terms-unchanged', {}],
  ])('%s', (__, code, change) => {
    given(scene)
      .when(revise(beta, { ...terms, ...change }))
      .refused(code);
  });

  it('when the hash sent is of other terms', () => {
    given(scene)
      .when(revise(beta, { ...terms, retentionDays: 1 }, { termsHash: termsHash(terms) }))
      .refused('terms-hash-mismatch');
  });

  it('by a retired party, or when another one is retired', () => {
    const next = { ...terms, retentionDays: 1 };
    given(scene.with(retired(beta)))
      .when(revise(beta, next))
      .refused('agent-retired');
    given(scene.with(retired(alpha)))
      .when(revise(beta, next))
      .refused('party-not-registered');
  });
});

describe('new terms', () => {
  it('may list the same parties in another order', () => {
    given(STATES['pending-r1'])
      .when(revise(beta, among(beta, alpha)))
      .then('revision-proposed');
  });

  it('may return to terms that were superseded while pending', () => {
    given(STATES['pending-countered']).when(revise(alpha, contract())).then('revision-proposed');
  });

  it('may not propose the terms in force again: it would only void the reports on them', () => {
    given(STATES['active-with-open-amendment'])
      .when(revise(beta, contract()))
      .refused('terms-unchanged');
  });

  it(`hold at most ${String(MAX_TERMS_LENGTH)} characters in all, so that answers stay readable`, () => {
    const lenient = changed(alpha, { methods: ['ed25519', 'oauth_installation'] });
    const purpose = 'x'.repeat(MAX_TERMS_LENGTH / 4);
    const next = (retentionDays: number): Act =>
      revise(lenient, contract({ purpose, retentionDays }), { proof: 'none' });
    let scene = Scene.empty.with(lenient).perform(propose(lenient, { proof: 'none' }));
    for (const days of [1, 2, 3]) scene = scene.perform(next(days));
    given(scene).when(next(4)).refused('too-many-revisions');
    given(scene).when(accept(beta)).then('revision-accepted', 'revision-attested');
  });

  it(`may be proposed ${String(MAX_REVISIONS)} times`, () => {
    const lenient = changed(alpha, { methods: ['ed25519', 'oauth_installation'] });
    let scene = Scene.empty.with(lenient).perform(propose(lenient, { proof: 'none' }));
    for (let days = 31; days < 31 + MAX_REVISIONS - 1; days++) {
      const next = revise(lenient, contract({ retentionDays: days }), { proof: 'none' });
      scene = scene.perform(next);
    }
    expect(scene.interaction.revisions).toHaveLength(MAX_REVISIONS);
    expect(scene.nowMs).toBeLessThan(START_MS + DAY);
    given(scene)
      .when(revise(lenient, contract({ retentionDays: 1 })))
      .refused('too-many-revisions');
    given(scene).when(accept(beta)).then('revision-accepted', 'revision-attested');
  });
});
