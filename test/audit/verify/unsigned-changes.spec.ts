import { describe, expect, it } from '@jest/globals';
import {
  adding,
  BEFORE,
  BETWEEN,
  fourth,
  revoking,
  second,
  third,
  UNSIGNED,
  verifyStory as verify,
  type Change,
} from '../support/beta-story.js';
import { betaKey } from '../support/bundles.js';
import type { SigningKey } from '../../support/interaction-fixtures.js';

/** Beta's owner changes its agent with `agents:admin`, and no key of the agent signs that. */

const accepted = (doubt: string) => `interaction-x@1, revision 2, agent-beta acceptance ${doubt}`;

describe('a key that no earlier key signed', () => {
  it('changes nothing of what does not rest on it, and is told', () => {
    for (const story of [
      { before: [adding(second, UNSIGNED)] },
      { between: [adding(second, UNSIGNED, BETWEEN)] },
      { between: [adding(second, UNSIGNED, BETWEEN, betaKey.keyId)] },
    ]) {
      const { result, doubts, checks } = verify(story);
      expect([result, doubts]).toEqual(['verified', []]);
      expect(checks).toContainEqual(
        expect.objectContaining({ check: 'change', subject: 'agent-agent-beta@1, owner-admin' }),
      );
    }
  });

  it.each<[string, readonly Change[], SigningKey]>([
    ['the key itself', [adding(second, UNSIGNED)], second],
    ['a key that it signed for', [adding(second, UNSIGNED), adding(third, second)], third],
    [
      'the next one after that',
      [adding(second, UNSIGNED), adding(third, second), adding(fourth, third)],
      fourth,
    ],
  ])('leaves it open who signed with %s', (_, before, key) => {
    const { result, doubts } = verify({ before, key });
    expect(result).toBe('not-checkable');
    expect(doubts).toEqual([
      accepted(`not-checkable change-without-signature (${key.keyId} rests on agent-agent-beta@1)`),
    ]);
  });

  it('casts no doubt on one that an earlier key signed for afterwards', () => {
    const before = [adding(second, UNSIGNED), adding(third, betaKey)];
    expect(verify({ before, key: third })).toMatchObject({ result: 'verified', doubts: [] });
  });

  it('hides nothing that is wrong: another method, another signer', () => {
    const onlyByToken = {
      type: 'agent-methods-changed',
      data: { methods: ['oauth_account'] },
      by: UNSIGNED,
    };
    const before = [adding(second, UNSIGNED)];
    expect(verify({ before: [...before, onlyByToken], key: second }).doubts).toEqual([
      accepted('failed method-not-permitted (ed25519)'),
    ]);
    const forger = { ...third, keyId: second.keyId };
    expect(verify({ before, key: forger }).doubts).toEqual([
      accepted('failed signature-invalid (agent-beta#2)'),
    ]);
  });
});

describe('a revocation that nobody signed', () => {
  it.each<[string, Change['by']]>([
    ['nobody', UNSIGNED],
    ['a key that rests on an unsigned change', second],
    ['the key itself', betaKey],
  ])('counts from its place on, as one by %s does: what is signed later fails', (_, by) => {
    const before = [adding(second, UNSIGNED), revoking(betaKey.keyId, by)];
    const { result, doubts } = verify({ before });
    expect([result, doubts]).toEqual(['failed', [accepted('failed raced (agent-beta#1)')]]);
  });

  it('takes nothing from what was signed before it', () => {
    const between = [revoking(betaKey.keyId, UNSIGNED)];
    expect(verify({ between })).toMatchObject({ result: 'verified', doubts: [] });
  });

  it('nor is a replaced key good again because nobody signed its replacement', () => {
    const before = [adding(second, UNSIGNED, BEFORE, betaKey.keyId)];
    expect(verify({ before }).doubts).toEqual([accepted('failed key-window-ended (agent-beta#1)')]);
  });

  it('of a key in doubt makes what it signs later wrong, not open', () => {
    const before = [adding(second, UNSIGNED), revoking(second.keyId, betaKey)];
    expect(verify({ before, key: second }).doubts).toEqual([
      accepted('failed raced (agent-beta#2)'),
    ]);
  });
});

describe('other changes that nobody signed', () => {
  const methods = (...list: readonly string[]): Change => ({
    type: 'agent-methods-changed',
    data: { methods: list },
    by: UNSIGNED,
  });
  const policy: Change = {
    type: 'agent-policy-changed',
    data: { policy: { taskCategories: [], allowedActions: [], maxRetentionDays: 1 } },
    by: UNSIGNED,
  };

  it('of methods and policy: an acceptance by the agent’s own key rests on none of them', () => {
    const before = [methods('oauth_account'), policy, methods('ed25519')];
    expect(verify({ before })).toMatchObject({ result: 'verified', doubts: [] });
  });

  it('count all the same where they forbid what follows', () => {
    expect(verify({ before: [methods('oauth_account')] }).doubts).toEqual([
      accepted('failed method-not-permitted (ed25519)'),
    ]);
    const retired: Change = { type: 'agent-retired', data: { reasonHash: null }, by: UNSIGNED };
    expect(verify({ before: [retired] }).doubts[0]).toBe(
      'interaction-x@0 transition failed party-unknown (agent-beta)',
    );
  });
});
