import { describe, expect, it } from '@jest/globals';
import type { Acceptance, AcceptanceMethod } from '../../../src/kernel/federated-interaction.js';
import type { InteractionEvent } from '../../../src/interactions/domain/events.js';
import { given } from '../../support/given-when-then.js';
import {
  accept,
  alpha,
  beta,
  changed,
  contract,
  party,
  propose,
  revise,
  Scene,
  type Party,
  type Twist,
} from '../../support/interaction-fixtures.js';

const delta = party('agent-delta', undefined);
const terms = contract({ parties: [alpha.agentId, delta.agentId] });
const toDelta = Scene.empty.with(delta).perform(propose(alpha, { contract: terms }));

function permitting(who: Party, ...methods: AcceptanceMethod[]): Party {
  return changed(who, { methods });
}

function acceptanceIn(events: readonly InteractionEvent[]): Acceptance {
  for (const { data } of events) if ('acceptance' in data) return data.acceptance;
  throw new Error('nobody accepted');
}

describe('an agent without keys', () => {
  it('accepts by a token of one of its clients', () => {
    const { events } = given(toDelta).when(accept(delta));
    expect(acceptanceIn(events)).toEqual({
      agentId: delta.agentId,
      method: 'oauth_installation',
      termsHash: toDelta.interaction.revisions[0]?.termsHash,
      acceptedAt: toDelta.now,
    });
  });

  it("accepts by its owner's token", () => {
    const { events } = given(toDelta).when(accept(delta, { token: delta.ownerToken }));
    expect(acceptanceIn(events)).toMatchObject({
      method: 'oauth_account',
      acceptedAt: toDelta.now,
    });
    expect(acceptanceIn(events)).not.toHaveProperty('signature');
  });

  it('proposes and revises by tokens too', () => {
    const proposed = given(Scene.empty.with(delta))
      .when(propose(delta, { contract: terms }))
      .then('interaction-proposed');
    given(proposed)
      .when(revise(delta, { ...terms, retentionDays: 1 }, { token: delta.ownerToken }))
      .then('revision-proposed');
  });

  it.each([
    ['its client', delta.token, 'oauth_account'],
    ['its owner', delta.ownerToken, 'oauth_installation'],
  ] as const)('accepts only by permitted methods: token of %s', (_, token, method) => {
    given(toDelta.with(permitting(delta, method)))
      .when(accept(delta, { token }))
      .refused('method-not-permitted');
  });

  /** The owner, who comes through the agent's client; bound to the agent or not. */
  const through = [delta.agentId, null].map((agent) => ({
    ...delta.ownerToken,
    client: delta.token.client,
    agent,
  }));

  it.each([
    [['oauth_account']],
    [['oauth_installation']],
    [['policy_auto_accept', 'oauth_account']],
  ] as const)('accepts by whichever method of its owner’s token it permits: %j', (methods) => {
    for (const token of through) {
      const scene = toDelta.with(permitting(delta, ...methods));
      const { events } = given(scene).when(accept(delta, { token }));
      expect(acceptanceIn(events).method).toBe(methods.at(-1));
    }
  });

  it('accepts by the client’s method where it permits the owner’s as well', () => {
    for (const token of through) {
      const { events } = given(toDelta).when(accept(delta, { token }));
      expect(acceptanceIn(events).method).toBe('oauth_installation');
    }
  });

  it('accepts by no method of its owner’s token that it does not permit', () => {
    for (const token of through) {
      given(toDelta.with(permitting(delta, 'policy_auto_accept')))
        .when(accept(delta, { token }))
        .refused('method-not-permitted');
    }
  });

  it('does not accept by a token that is bound to it and nothing more', () => {
    given(toDelta)
      .when(accept(delta, { token: delta.boundToken }))
      .refused('method-not-permitted');
  });

  it('cannot sign', () => {
    const proof: Twist['proof'] = () => ({
      keyId: alpha.key?.keyId ?? ('' as never),
      value: '',
      at: toDelta.now,
    });
    given(toDelta)
      .when(accept(delta, { signer: alpha.key as never, proof }))
      .refused('signature-unexpected');
  });
});

describe('an agent with keys', () => {
  const pending = Scene.empty.perform(propose(alpha));

  it.each([
    ['client', beta.token],
    ['owner', beta.ownerToken],
    ['agent claim', beta.boundToken],
  ] as const)('does not accept without a signature: token by %s', (_, token) => {
    given(pending)
      .when(accept(beta, { token, proof: 'none' }))
      .refused('signature-required');
  });

  it.each([
    ['client', beta.token],
    ['owner', beta.ownerToken],
    ['agent claim', beta.boundToken],
  ] as const)('accepts by ed25519 when it signs, whatever the token: by %s', (_, token) => {
    const { events } = given(pending).when(accept(beta, { token }));
    expect(acceptanceIn(events)).toMatchObject({
      method: 'ed25519',
      acceptedAt: pending.now,
      signature: { algorithm: 'Ed25519', keyId: beta.key?.keyId },
    });
  });

  it('keeps the moment that it signed, verbatim', () => {
    const signedAt = '2030-01-01T00:00:59.9999999Z' as never;
    const { events } = given(pending).when(accept(beta, { signedAt }));
    expect(acceptanceIn(events).acceptedAt).toBe(signedAt);
  });

  it('may opt out, and then accepts by token', () => {
    const lenient = permitting(beta, 'ed25519', 'oauth_installation');
    const { events } = given(pending.with(lenient)).when(accept(lenient, { proof: 'none' }));
    expect(acceptanceIn(events).method).toBe('oauth_installation');
  });

  it('may opt out of ed25519 altogether, and then a signature permits nothing', () => {
    const lenient = permitting(beta, 'oauth_installation');
    given(pending.with(lenient)).when(accept(lenient)).refused('method-not-permitted');
  });

  it('opted in to a policy, still does not accept by token', () => {
    const automatic = permitting(beta, 'ed25519', 'policy_auto_accept');
    given(pending.with(automatic))
      .when(accept(automatic, { proof: 'none' }))
      .refused('signature-required');
  });

  it('does not propose or revise without a signature', () => {
    given(Scene.empty)
      .when(propose(alpha, { proof: 'none' }))
      .refused('signature-required');
    given(pending)
      .when(revise(beta, contract({ retentionDays: 1 }), { proof: 'none' }))
      .refused('signature-required');
  });
});
