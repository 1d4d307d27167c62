import { describe, expect, it } from '@jest/globals';
import type { SigningKey } from '../../support/interaction-fixtures.js';
import {
  adding,
  BEFORE,
  BETA,
  BY_TOKEN,
  revoking,
  second,
  signatureOf,
  third,
  UNSIGNED,
  verifyStory,
  type Change,
} from '../support/beta-story.js';
import { agentRegistered, alphaKey, betaKey } from '../support/bundles.js';

/** What whoever writes the log could record of beta to sign in its name, and what is as it should be. */

const REGISTRATION = `agent-${BETA}@0`;
const accepted = (doubt: string) => `interaction-x@1, revision 2, agent-beta acceptance ${doubt}`;
const methods = (list: readonly string[], by: Change['by']): Change => ({
  type: 'agent-methods-changed',
  data: { methods: list },
  by,
});
const clients = (list: readonly string[], by: Change['by']): Change => ({
  type: 'agent-clients-changed',
  data: { clients: list },
  by,
});
const transport = (managedBy: 'agent' | 'openclasp', by: Change['by']): Change => ({
  type: 'agent-transport-changed',
  data: {
    transport: {
      protocol: 'A2A/1.0',
      protocolBinding: 'JSONRPC',
      endpoint: 'https://beta.example/a2a',
      managedBy,
    },
  },
  by,
});

describe('an id that whoever writes the log chooses makes two commands not one', () => {
  it('a key that comes by token is none, though it names the command of the registration', () => {
    const forged = { ...adding(second, BY_TOKEN), command: REGISTRATION };
    for (const index of [0, 1]) {
      const { result, doubts } = verifyStory({ before: [{ ...forged, index }], key: second });
      expect(result).toBe('failed');
      expect(doubts).toEqual([
        expect.stringContaining('agent-agent-beta@1 transition failed command-repeated'),
        'agent-agent-beta@1, token change failed signature-missing (the agent has had keys)',
        accepted(
          'not-checkable change-without-signature (agent-beta#2 rests on agent-agent-beta@1)',
        ),
      ]);
    }
  });

  it('nor does one of the registration itself that is recorded at its very moment', () => {
    const registered = agentRegistered(BETA, [betaKey]);
    const forged = {
      ...adding(second, BY_TOKEN),
      command: REGISTRATION,
      index: 1,
    };
    const { result, doubts } = verifyStory({
      registered: { ...registered, recordedAt: BEFORE },
      before: [forged],
      key: second,
    });
    expect(result).toBe('failed');
    expect(doubts.join()).toContain('command-repeated');
  });

  it('a revoked key signs nothing more, though the event names the command of its revocation', () => {
    const command = 'revocation';
    const before = [
      { ...revoking(betaKey.keyId, betaKey), command },
      { ...adding(second, betaKey), command, index: 1 },
    ];
    const { result, doubts } = verifyStory({ before, key: second });
    expect(result).toBe('failed');
    expect(doubts).toEqual([
      expect.stringContaining('agent-agent-beta@2 transition failed command-repeated'),
      'agent-agent-beta@2 change failed raced (agent-beta#1)',
    ]);
  });

  it('nor does a replaced one', () => {
    const command = 'replacement';
    const before = [
      { ...adding(second, betaKey, BEFORE, betaKey.keyId), command },
      { ...adding(third, betaKey), command, index: 1 },
    ];
    expect(verifyStory({ before, key: third }).doubts).toContain(
      'agent-agent-beta@2 change failed key-window-ended (agent-beta#1)',
    );
  });

  it('a second key comes not with the first one, and other methods neither', () => {
    const registered = agentRegistered(BETA, [], ['oauth_account']);
    const first = { ...adding(betaKey, BY_TOKEN), command: 'first' };
    const next = (change: Change) => ({ ...change, command: 'first', index: 1 });
    for (const forged of [adding(second, BY_TOKEN), methods(['oauth_account'], BY_TOKEN)]) {
      const { result, doubts } = verifyStory({ registered, before: [first, next(forged)] });
      expect(result).toBe('failed');
      expect(doubts).toContain(
        'agent-agent-beta@2, token change failed signature-missing (the agent has had keys)',
      );
    }
  });

  it('nor do the methods, by another command or after another event', () => {
    const registered = agentRegistered(BETA, [], ['oauth_account']);
    const first = { ...adding(betaKey, BY_TOKEN), command: 'first' };
    const only = { ...methods(['ed25519'], BY_TOKEN), command: 'first', index: 1 };
    const between = clients(['client'], betaKey);
    for (const before of [
      [first, methods(['ed25519'], BY_TOKEN)],
      [first, between, only],
    ]) {
      const { result, doubts } = verifyStory({ registered, before });
      expect(result).toBe('failed');
      expect(doubts.join()).toContain('token change failed signature-missing');
    }
  });
});

describe('a signature entitles to the change that it was asked for with, once', () => {
  const failed = (revision: number, why: string) =>
    expect.stringContaining(`agent-agent-beta@${revision} change failed ${why}`) as unknown;

  it.each<[string, Change]>([
    ['another endpoint', transport('agent', betaKey)],
    ['other methods', methods(['ed25519'], betaKey)],
    ['other clients', clients(['client'], betaKey)],
    ['the revocation of a key', revoking(alphaKey.keyId, betaKey)],
    ['another key', adding(third, betaKey)],
    ['the same key in place of another', adding(second, betaKey, BEFORE, betaKey.keyId)],
  ])('not to the addition of a key, where it was for %s', (_, asked) => {
    const stolen = signatureOf(asked, betaKey, 1);
    const { result, doubts } = verifyStory({ before: [adding(second, stolen)], key: second });
    expect([result, doubts]).toEqual(['failed', [failed(1, 'change-hash-mismatch')]]);
  });

  it('not to one at another revision of the agent', () => {
    const early = signatureOf(adding(second, betaKey), betaKey, 2);
    expect(verifyStory({ before: [adding(second, early)] }).doubts).toEqual([
      failed(1, 'change-hash-mismatch'),
    ]);
  });

  it('not to a second change, copied from the first', () => {
    const asked = transport('agent', betaKey);
    const used = signatureOf(asked, betaKey, 1);
    const before = [{ ...asked, by: used }, adding(second, used)];
    const { result, doubts } = verifyStory({ before, key: second });
    expect([result, doubts]).toEqual(['failed', [failed(2, 'change-hash-mismatch')]]);
  });

  it('not to a second one whose words are not told either', () => {
    const retired = (reasonHash: string): Change => ({
      type: 'agent-key-revoked',
      data: { keyId: second.keyId, reasonHash },
      by: signatureOf(revoking(second.keyId, betaKey), betaKey, 2),
    });
    const before = [adding(second, betaKey), retired('A'.repeat(43)), retired('A'.repeat(43))];
    expect(verifyStory({ before }).doubts).toContainEqual(failed(3, 'change-repeated'));
  });
});

describe('what is as it should be stays verified', () => {
  const keyless = agentRegistered(BETA, [], ['oauth_account']);
  const firstKey: readonly Change[] = [
    { ...adding(betaKey, BY_TOKEN), command: 'first' },
    { ...methods(['ed25519'], BY_TOKEN), command: 'first', index: 1 },
  ];

  it.each<[string, Parameters<typeof verifyStory>[0]]>([
    ['a key of the registration', {}],
    ['a first key by token, with the methods', { registered: keyless, before: firstKey }],
    [
      'a first key by token, and what it signs for',
      { registered: keyless, before: [...firstKey, adding(second, betaKey)], key: second },
    ],
    [
      'changes by token before it',
      { registered: keyless, before: [clients(['client'], BY_TOKEN), ...firstKey] },
    ],
    ['a key beside the others', { before: [adding(second, betaKey)], key: second }],
    ['a rotation', { before: [adding(second, betaKey, BEFORE, betaKey.keyId)], key: second }],
    [
      'a rotation of a rotated key',
      {
        before: [
          adding(second, betaKey, BEFORE, betaKey.keyId),
          adding(third, second, BEFORE, second.keyId),
        ],
        key: third,
      },
    ],
    [
      'a key that revokes another',
      { before: [adding(second, betaKey), revoking(betaKey.keyId, second)], key: second },
    ],
    ['a key that revokes itself', { between: [revoking(betaKey.keyId, betaKey)] }],
    [
      'other changes that a key signed',
      {
        before: [
          methods(['ed25519', 'oauth_account'], betaKey),
          clients(['client'], betaKey),
          transport('agent', betaKey),
          clients(['client'], UNSIGNED),
        ],
      },
    ],
  ])('%s', (_, story) => {
    expect(verifyStory(story)).toMatchObject({ result: 'verified', doubts: [] });
  });

  it('a key that was given as SPKI, a transport with its default, and one that is hosted', () => {
    const spki = (key: SigningKey, change: Change): object => {
      const { key: registered } = change.data as { readonly key: Record<string, unknown> };
      const { jwk: _, ...rest } = registered;
      const der = Buffer.concat([SPKI, Buffer.from(key.jwk.x, 'base64url')]);
      const asked = { ...rest, spki: der.toString('base64url') };
      return signatureOf({ ...change, data: { key: asked, replaces: null } }, betaKey, 1);
    };
    const added = adding(second, betaKey);
    const { data } = transport('agent', betaKey);
    const { managedBy: _, ...short } = (data as { readonly transport: Record<string, unknown> })
      .transport;
    const asked = { type: 'agent-transport-changed', data: { transport: short } };
    const before = [
      { ...added, by: spki(second, added) },
      { ...transport('agent', betaKey), by: signatureOf(asked, betaKey, 2) },
      transport('openclasp', betaKey),
    ];
    expect(verifyStory({ before, key: second })).toMatchObject({ result: 'verified', doubts: [] });
  });
});

/** RFC 8410 section 4: what stands before the 32 bytes of a point. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');
