import { describe, expect, it } from '@jest/globals';
import { SCOPES, type Caller, type Scope } from '../../../src/kernel/caller.js';
import type { AgentId, KeyId } from '../../../src/kernel/ids.js';
import type { Timestamp } from '../../../src/kernel/timestamp.js';
import {
  ALPHA,
  AUDIENCE,
  CLIENT,
  OWNER,
  at,
  caller,
  change,
  foreigner,
  given,
  otherAdmin,
  owner,
  ownerAdmin,
  register,
  signatureOf,
  stolen,
  submission,
  testKey,
  type Act,
} from '../support/agents.js';
import { otherSpellings } from '../support/spellings.js';

const k1 = testKey('k1', 1);
const k2 = testKey('k2', 2);
const stranger = testKey('k1', 3);
const BETA = 'agent-beta' as AgentId;

const keyless: Act = { command: register() };
const keyed: Act = { command: register({ keys: [submission(k1), submission(k2)] }) };

const content = { kind: 'change-clients', clients: ['mallory'] } as const;
const unsigned = change(content, 0);
const signed = change(content, 0, { key: k1, at: at(0) });

const outcomeOf = (outcome: readonly unknown[] | string): string =>
  typeof outcome === 'string' ? outcome : 'changed';

const tokens: Readonly<Record<string, Caller>> = {
  'the owner': owner,
  'the owner with agents:admin': ownerAdmin,
  'the owner with agents:admin, bound to the agent': caller({
    agent: ALPHA,
    scopes: ['agents:admin'],
  }),
  'the owner with agents:admin, bound to another agent': caller({
    agent: BETA,
    scopes: ['agents:admin'],
  }),
  'the owner without a scope for it': caller({ scopes: ['interactions:write'] }),
  'another administrator of the tenant': otherAdmin,
  'a stolen token of the agent': stolen,
  'a token of the agent’s client': caller({ principal: CLIENT, client: CLIENT }),
  'a token bound to the agent': caller({ principal: 'x', client: 'y', agent: ALPHA }),
  'somebody else of the tenant': caller({ principal: 'x' }),
  'an administrator of another tenant': foreigner,
  'the owner’s name in another tenant': caller({ tenant: 'tenant-beta' }),
};

/** [an agent that never had keys, a keyed one without a signature, a keyed one with a good one] */
const matrix: Readonly<Record<string, readonly [string, string, string]>> = {
  'the owner': ['changed', 'change-signature-required', 'changed'],
  'the owner with agents:admin': ['changed', 'changed', 'changed'],
  'the owner with agents:admin, bound to the agent': ['changed', 'changed', 'changed'],
  'the owner with agents:admin, bound to another agent': [
    'not-acting-agent',
    'not-acting-agent',
    'not-acting-agent',
  ],
  'the owner without a scope for it': ['scope-missing', 'scope-missing', 'scope-missing'],
  'another administrator of the tenant': ['changed', 'change-signature-required', 'changed'],
  'a stolen token of the agent': ['not-acting-agent', 'change-signature-required', 'changed'],
  'a token of the agent’s client': ['not-acting-agent', 'change-signature-required', 'changed'],
  'a token bound to the agent': ['not-acting-agent', 'change-signature-required', 'changed'],
  'somebody else of the tenant': [
    'not-acting-agent',
    'change-signature-required',
    'not-acting-agent',
  ],
  'an administrator of another tenant': [
    'not-acting-agent',
    'not-acting-agent',
    'not-acting-agent',
  ],
  'the owner’s name in another tenant': [
    'not-acting-agent',
    'not-acting-agent',
    'not-acting-agent',
  ],
};

describe('who may change an agent', () => {
  it.each(Object.keys(tokens))('%s', (name) => {
    const by = tokens[name] ?? owner;
    expect([
      outcomeOf(given(keyless).when({ command: unsigned, by })),
      outcomeOf(given(keyed).when({ command: unsigned, by })),
      outcomeOf(given(keyed).when({ command: signed, by })),
    ]).toEqual(matrix[name]);
  });

  it.each(SCOPES)('the owner’s token with the scope %s alone', (scope: Scope) => {
    const by = caller({ scopes: [scope] });
    const allowed = scope === 'agents:write' || scope === 'agents:admin';
    const outcome = outcomeOf(given(keyless).when({ command: unsigned, by }));
    expect(outcome).toBe(allowed ? 'changed' : 'scope-missing');
  });

  it('is in the event, for auditors', () => {
    const authorizationOf = (act: Act): unknown => {
      const events = given(
        act.command === unsigned && act.by !== ownerAdmin ? keyless : keyed,
      ).when(act);
      return typeof events === 'string' ? events : events[0]?.data;
    };
    expect(authorizationOf({ command: unsigned, by: owner })).toMatchObject({
      authorization: { by: 'token' },
    });
    expect(authorizationOf({ command: unsigned, by: ownerAdmin })).toMatchObject({
      authorization: { by: 'owner-admin' },
    });
    expect(authorizationOf({ command: signed, by: stolen })).toMatchObject({
      authorization: { by: 'signature', changeHash: signed.changeHash, ...signed.signature },
    });
  });

  it('who has no key cannot have signed', () => {
    expect(given(keyless).when({ command: signed, by: owner })).toBe('signature-unexpected');
  });
});

describe('the signature of a change', () => {
  const withSignature = (signature: typeof signed.signature): Act => ({
    command: { ...unsigned, signature },
    by: stolen,
  });

  it.each(otherSpellings(signed.signature?.value ?? ''))('has no spelling $name', ({ text }) => {
    const signature = signed.signature && { ...signed.signature, value: text };
    expect(given(keyed).when(withSignature(signature))).toBe('signature-invalid');
  });

  it.each([
    ['another agent', { agentId: BETA }],
    ['another platform', { audience: 'https://elsewhere.example' }],
    ['the platform with a slash', { audience: `${AUDIENCE}/` }],
    ['another change', { changeHash: change(content, 1).changeHash }],
    ['another moment', { signedAt: at(1) }],
  ])('does not fit when made for %s', (_, overrides) => {
    const made = signatureOf(k1, unsigned.changeHash, at(0), overrides);
    expect(given(keyed).when(withSignature({ ...made, signedAt: at(0) }))).toBe(
      'signature-invalid',
    );
  });

  it('does not fit when another key made it', () => {
    const forged = signatureOf(stranger, unsigned.changeHash, at(0));
    expect(given(keyed).when(withSignature(forged))).toBe('signature-invalid');
    const renamed = { ...signatureOf(k2, unsigned.changeHash, at(0)), keyId: k1.keyId };
    expect(given(keyed).when(withSignature(renamed))).toBe('signature-invalid');
  });

  it('is refused even where none was needed', () => {
    const forged = signatureOf(stranger, unsigned.changeHash, at(0));
    const act: Act = { command: { ...unsigned, signature: forged }, by: ownerAdmin };
    expect(given(keyed).when(act)).toBe('signature-invalid');
  });

  it.each(['unknown', 'constructor', 'toString'])('by the key %s is by no key', (name) => {
    const made = signatureOf({ ...k1, keyId: name as KeyId }, unsigned.changeHash, at(0));
    expect(given(keyed).when(withSignature(made))).toBe('key-not-found');
  });

  it('by a retired key is refused, whatever moment it names', () => {
    const revoked = given(keyed, {
      command: change({ kind: 'revoke-key', keyId: k1.keyId, reason: 'stolen' }, 0, {
        key: k2,
        at: at(100),
      }),
      second: 100,
    });
    for (const second of [50, 99.999, 100, 101]) {
      const command = change(content, 1, { key: k1, at: at(second) });
      expect(revoked.when({ command, by: stolen, second: 101 })).toBe('key-not-valid');
    }
  });

  it.each([
    ['2029-12-31T23:55:00Z', true],
    ['2029-12-31T23:54:59.999999Z', false],
    ['2030-01-01T00:05:00.000000Z', true],
    ['2030-01-01T00:05:00.000001Z', false],
  ])('of %s lies within the leeway: %s', (signedAt, accepted) => {
    const made = signatureOf(k1, unsigned.changeHash, signedAt as Timestamp);
    expect(outcomeOf(given(keyed).when(withSignature(made)))).toBe(
      accepted ? 'changed' : 'signed-time-out-of-range',
    );
  });
});

describe('a signed change', () => {
  const a = change({ kind: 'change-clients', clients: ['a'] }, 0, { key: k1, at: at(0) });
  const b = change({ kind: 'change-clients', clients: ['b'] }, 1, { key: k1, at: at(1) });

  it('cannot be played again after another one', () => {
    const afterB = given(keyed, { command: a }, { command: b, second: 1 });
    expect(afterB.when({ command: a, by: stolen, second: 2 })).toBe('agent-changed');
    // Renaming the revision takes a new hash, which the old signature does not cover.
    const { changeHash } = change({ kind: 'change-clients', clients: ['a'] }, 2);
    const renamed = { ...a, expectedRevision: 2, changeHash };
    expect(afterB.when({ command: renamed, by: stolen, second: 2 })).toBe('signature-invalid');
  });

  it('cannot be turned into a change of another kind', () => {
    const { changeHash } = change({ kind: 'retire', reason: undefined }, 0);
    const retire = { ...a, kind: 'retire', reason: undefined, changeHash } as const;
    expect(given(keyed).when({ command: retire, by: stolen })).toBe('signature-invalid');
  });
});

it('the owner of an agent without keys is named by principal, not by client', () => {
  const named = caller({ principal: 'x', client: OWNER });
  expect(given(keyless).when({ command: unsigned, by: named })).toBe('not-acting-agent');
});
