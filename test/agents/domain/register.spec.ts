import { describe, expect, it } from '@jest/globals';
import type { RegisterAgent } from '../../../src/agents/domain/commands.js';
import type { KeySubmission } from '../../../src/agents/domain/key-registration.js';
import type { AcceptanceMethod } from '../../../src/kernel/federated-interaction.js';
import type { AgentId, KeyId } from '../../../src/kernel/ids.js';
import type { Timestamp } from '../../../src/kernel/timestamp.js';
import {
  ALPHA,
  AUDIENCE,
  CLIENT,
  OWNER,
  TENANT,
  at,
  caller,
  foreigner,
  given,
  otherAdmin,
  owner,
  proofOf,
  register,
  submission,
  testKey,
  type Act,
} from '../support/agents.js';
import { otherSpellings } from '../support/spellings.js';
import { HOSTILE_POINTS } from './hostile-keys.js';

const k1 = testKey('k1', 1);
const k2 = testKey('k2', 2);

const registering = (overrides: Partial<RegisterAgent>): Act => ({ command: register(overrides) });
const withKey = (key: KeySubmission): Act => registering({ keys: [key] });

describe('registering an agent', () => {
  it('records tenant and owner from the token', () => {
    expect(given().when(registering({}))).toEqual([
      {
        type: 'agent-registered',
        data: {
          agentId: ALPHA,
          tenant: TENANT,
          owner: OWNER,
          clients: [CLIENT],
          keys: [],
          methods: ['oauth_installation', 'oauth_account'],
          transport: {
            protocol: 'A2A/1.0',
            protocolBinding: 'JSONRPC',
            endpoint: 'https://alpha.example/a2a',
            managedBy: 'agent',
          },
        },
        texts: null,
      },
    ]);
  });

  it('gives a hosted agent the endpoint of this deployment', () => {
    expect(given().then(registering({ transport: { hosted: true } })).transport).toEqual({
      protocol: 'A2A/1.0',
      protocolBinding: 'JSONRPC',
      endpoint: 'https://countersign.example/a2a/agent-alpha',
      managedBy: 'openclasp',
    });
  });

  it('takes an id once, whoever asks for it again', () => {
    const taken = given(registering({}));
    expect(taken.when(registering({}))).toBe('agent-exists');
    expect(taken.when({ ...registering({}), by: foreigner })).toBe('agent-exists');
  });

  it.each([
    ['a scope of the agents', caller({ scopes: ['interactions:write', 'agents:write'] }), 'taken'],
    ['agents:admin alone', caller({ scopes: ['agents:admin'] }), 'taken'],
    ['other scopes', caller({ scopes: ['interactions:write', 'audit:read'] }), 'scope-missing'],
    ['a token of the same agent', caller({ agent: ALPHA }), 'taken'],
    ['a token of another agent', caller({ agent: 'beta' as AgentId }), 'not-acting-agent'],
  ])('by %s', (_, by, expected) => {
    const outcome = given().when({ ...registering({}), by });
    expect(typeof outcome === 'string' ? outcome : 'taken').toBe(expected);
  });

  it.each([
    ['another tenant', foreigner, 'not-acting-agent'],
    ['another tenant, for the agent', { ...foreigner, agent: ALPHA }, 'not-acting-agent'],
    ['that tenant', owner, 'taken'],
    ['that tenant, without a scope', caller({ scopes: [] }), 'scope-missing'],
  ])('an agent that is hosted for a tenant, by %s', (_, by, expected) => {
    const outcome = given().when({ ...registering({}), by, hostTenant: TENANT });
    expect(typeof outcome === 'string' ? outcome : 'taken').toBe(expected);
  });

  it('does not tell another tenant whether the id of a hosted agent is taken', () => {
    const again = { ...registering({}), hostTenant: TENANT };
    expect(given(again).when({ ...again, by: foreigner })).toBe('not-acting-agent');
    expect(given(again).when(again)).toBe('agent-exists');
  });

  it('for another owner takes agents:admin', () => {
    const named = registering({ owner: OWNER });
    expect(given().when({ ...named, by: caller({ principal: 'clerk' }) })).toBe('scope-missing');
    expect(given().then({ ...named, by: otherAdmin }).owner).toBe(OWNER);
    expect(given().then({ ...named, by: owner }).owner).toBe(OWNER);
  });
});

describe('methods at registration', () => {
  const cases: readonly [boolean, readonly AcceptanceMethod[] | undefined, unknown][] = [
    [true, undefined, ['ed25519']],
    [false, undefined, ['oauth_installation', 'oauth_account']],
    [true, ['oauth_account', 'ed25519'], ['oauth_account', 'ed25519']],
    [false, ['policy_auto_accept'], ['policy_auto_accept']],
    [false, ['ed25519'], 'methods-invalid'],
    [false, ['oauth_account', 'ed25519'], 'methods-invalid'],
    [true, [], 'methods-invalid'],
    [true, ['ed25519', 'ed25519'], 'methods-invalid'],
  ];
  it.each(cases)('with keys: %s, asked for %j → %j', (hasKeys, methods, expected) => {
    const act = registering({ methods, keys: hasKeys ? [submission(k1)] : [] });
    const outcome = given().when(act);
    expect(typeof outcome === 'string' ? outcome : given().then(act).methods).toEqual(expected);
  });
});

describe('keys at registration', () => {
  it('are recorded with their proof, from the moment of the record', () => {
    const agent = given().then({
      ...registering({ keys: [submission(k1), submission(k2)] }),
      second: 7,
    });
    expect([...agent.keys.keys()]).toEqual(['k1', 'k2']);
    expect(agent.keys.get(k1.keyId)).toEqual({
      keyId: 'k1',
      jwk: k1.jwk,
      jwkThumbprint: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      proof: proofOf(k1, at(0)),
      from: at(7),
      until: null,
      revokedAt: null,
    });
  });

  it('may be given as SPKI and are then the same key', () => {
    const spki = { ...submission(k1), material: { form: 'spki', spki: k1.spki } as const };
    expect(given().then(withKey(spki))).toEqual(given().then(withKey(submission(k1))));
  });

  it.each(HOSTILE_POINTS)('case 1: never are $name, though OpenSSL would verify', ({ x }) => {
    // R = identity, S = 0: under the identity point this "signs" every message.
    const value = Buffer.concat([Buffer.from([1]), Buffer.alloc(63)]).toString('base64url');
    const spki = Buffer.concat([
      Buffer.from(k1.spki, 'base64url').subarray(0, 12),
      Buffer.from(x, 'base64url'),
    ]).toString('base64url');
    for (const material of [
      { form: 'jwk', kty: 'OKP', crv: 'Ed25519', x },
      { form: 'spki', spki },
    ] as const) {
      const key = { keyId: k1.keyId, material, proof: { signedAt: at(0), value } };
      expect(given().when(withKey(key))).toBe('key-unsafe-point');
    }
  });

  it.each([
    ['another curve', { form: 'jwk', kty: 'EC', crv: 'P-256', x: k1.jwk.x }],
    ['another key type', { form: 'jwk', ...k1.jwk, kty: 'EC' }],
    ['a key agreement curve', { form: 'jwk', kty: 'OKP', crv: 'X25519', x: k1.jwk.x }],
    ['31 bytes', { form: 'jwk', ...k1.jwk, x: Buffer.alloc(31, 7).toString('base64url') }],
    ['33 bytes', { form: 'jwk', ...k1.jwk, x: Buffer.alloc(33, 7).toString('base64url') }],
    ['nothing', { form: 'jwk', ...k1.jwk, x: '' }],
    ['an SPKI in x', { form: 'jwk', ...k1.jwk, x: k1.spki }],
    ['a bare point as SPKI', { form: 'spki', spki: k1.jwk.x }],
    ['the SPKI of an X25519 key', { form: 'spki', spki: k1.spki.replace('K2Vw', 'K2Vu') }],
    ['PEM', { form: 'spki', spki: `-----BEGIN PUBLIC KEY-----\n${k1.spki}` }],
  ] as const)('never are %s', (_, material) => {
    expect(given().when(withKey({ ...submission(k1), material }))).toBe('key-malformed');
  });

  it.each(otherSpellings(k1.jwk.x))('never are spelled $name', ({ text }) => {
    const material = { form: 'jwk', ...k1.jwk, x: text } as const;
    expect(given().when(withKey({ ...submission(k1), material }))).toBe('key-malformed');
  });

  it.each(otherSpellings(proofOf(k1, at(0)).value))('never have a proof $name', ({ text }) => {
    const proof = { signedAt: at(0), value: text };
    expect(given().when(withKey({ ...submission(k1), proof }))).toBe('key-proof-invalid');
  });

  it.each([
    ['another agent', { agentId: 'agent-beta' as AgentId }],
    ['another platform', { audience: 'https://elsewhere.example' }],
    ['the platform with a slash', { audience: `${AUDIENCE}/` }],
    ['another key id', { keyId: 'k2' as KeyId }],
    ['another key', { jwkThumbprint: 'A'.repeat(43) }],
    ['another moment', { signedAt: at(1) }],
    ['the same moment in other letters', { signedAt: '2030-01-01T00:00:00Z' as Timestamp }],
  ])('never have a proof for %s', (_, overrides) => {
    const { value } = proofOf(k1, at(0), overrides);
    const proof = { signedAt: at(0), value };
    expect(given().when(withKey({ ...submission(k1), proof }))).toBe('key-proof-invalid');
  });

  it('never have a proof by another key', () => {
    const stranger = { ...k2, keyId: k1.keyId, jwk: k1.jwk };
    expect(given().when(withKey(submission(stranger)))).toBe('key-proof-invalid');
  });

  it.each([
    ['2029-12-31T23:55:00.000Z', true],
    ['2029-12-31T23:54:59.9999Z', false],
    ['2030-01-01T00:05:00Z', true],
    ['2030-01-01T00:05:00.0001Z', false],
    ['1970-01-01T00:00:00Z', false],
    ['9999-12-31T23:59:59Z', false],
  ])('with a proof of %s: %s', (signedAt, accepted) => {
    const outcome = given().when(withKey(submission(k1, signedAt as Timestamp)));
    expect(outcome === 'signed-time-out-of-range').toBe(!accepted);
  });

  it('have different ids and are different keys', () => {
    const renamed = { ...k1, keyId: k2.keyId };
    const sameId = { ...k2, keyId: k1.keyId };
    const both = (second: KeySubmission): Act => registering({ keys: [submission(k1), second] });
    expect(given().when(both(submission(renamed)))).toBe('key-exists');
    expect(given().when(both(submission(sameId)))).toBe('key-id-taken');
  });

  it('are 64 at most', () => {
    const keys = Array.from({ length: 65 }, (_, i) => testKey(`key-${String(i)}`, i + 1));
    const asked = (count: number): Act =>
      registering({ keys: keys.slice(0, count).map((key) => submission(key)) });
    expect(given().then(asked(64)).keys.size).toBe(64);
    expect(given().when(asked(65))).toBe('too-many-keys');
  });
});
