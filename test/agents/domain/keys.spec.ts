import { describe, expect, it } from '@jest/globals';
import { keysForVerification, validKey, signsItsActs } from '../../../src/agents/domain/keys.js';
import type { AcceptanceMethod } from '../../../src/kernel/federated-interaction.js';
import type { KeyId } from '../../../src/kernel/ids.js';
import {
  agentAfter,
  at,
  change,
  register,
  submission,
  testKey,
  type Act,
} from '../support/agents.js';

const k1 = testKey('constructor', 1);
const k2 = testKey('toString', 2);

const history: readonly Act[] = [
  { command: register({ keys: [submission(k1)] }) },
  {
    command: change({ kind: 'add-key', key: submission(k2, at(100)), replaces: k1.keyId }, 0, {
      key: k1,
      at: at(100),
    }),
    second: 100,
  },
  {
    command: change({ kind: 'revoke-key', keyId: k2.keyId, reason: 'laptop lost' }, 1, {
      key: k2,
      at: at(200),
    }),
    second: 200,
  },
];
const rotated = agentAfter(...history);

describe('the window of a key', () => {
  const none = 'key-not-valid';
  it.each([
    [1, -1, none, 'key-not-found'],
    [1, 0, k1.keyId, 'key-not-found'],
    [1, 99.999, k1.keyId, 'key-not-found'],
    [2, 100, none, k2.keyId],
    [3, 200, none, none],
    // The clock is behind that of the node that recorded the last of them, or was asked too early.
    [2, 50, none, none],
    [3, 50, none, none],
    [3, 150, none, none],
    [3, 199.999, none, none],
  ])(
    'after %d events, at second %d, lets the first key be %s, the second %s',
    (events, second, first, next) => {
      const agent = agentAfter(...history.slice(0, events));
      const verdict = (keyId: KeyId): string => {
        const key = validKey(agent, keyId, at(second));
        return typeof key === 'string' ? key : key.keyId;
      };
      expect(verdict(k1.keyId)).toBe(first);
      expect(verdict(k2.keyId)).toBe(next);
    },
  );

  it.each(['unknown', 'valueOf', 'hasOwnProperty'])('is not found for the id %s', (name) => {
    expect(validKey(rotated, name as KeyId, at(50))).toBe('key-not-found');
  });

  it('is history that verifiers get whole', () => {
    expect(keysForVerification(rotated)).toEqual([
      { keyId: k1.keyId, jwk: k1.jwk, from: at(0), until: at(100), revoked: null },
      { keyId: k2.keyId, jwk: k2.jwk, from: at(100), until: at(200), revoked: at(200) },
    ]);
  });
});

describe('signing its acts', () => {
  const cases: readonly [readonly AcceptanceMethod[], boolean][] = [
    [['ed25519'], true],
    [['ed25519', 'policy_auto_accept'], true],
    [['policy_auto_accept', 'ed25519'], true],
    [['ed25519', 'oauth_account'], false],
    [['oauth_installation', 'ed25519'], false],
    [['ed25519', 'policy_auto_accept', 'oauth_account'], false],
    [['policy_auto_accept'], false],
    [['oauth_account'], false],
    [['oauth_installation', 'oauth_account'], false],
  ];
  it.each(cases)('with the methods %j: %s', (methods, expected) => {
    expect(signsItsActs({ ...rotated, methods })).toBe(expected);
  });
});
