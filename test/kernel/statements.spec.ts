import { createHash, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { canonicalJson } from '../../src/kernel/canonical-json.js';
import { signEd25519, type Ed25519Jwk } from '../../src/kernel/ed25519.js';
import {
  changeHash,
  reasonHash,
  reportHash,
  statementText,
  verifyStatement,
  type Statement,
} from '../../src/kernel/statements.js';
import { validateStatement } from '../../src/kernel/wire-schema.js';

const HASH = 'EixzToIN05H7uwySM9C3emWArSgZSAnmXZg5DZAxVsw';
const OTHER_HASH = '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU';
const INTERACTION = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const AT = '2030-01-01T00:00:00.000Z';

const common = {
  protocolVersion: '0.1',
  audience: 'https://countersign.example',
  agentId: 'agent-alpha',
};
const signed = { ...common, signedAt: AT };
const STATEMENTS: Readonly<Record<Statement['statement'], Record<string, unknown>>> = {
  'federated-interaction/acceptance': {
    ...common,
    interactionId: INTERACTION,
    revision: 1,
    previousTermsHash: null,
    termsHash: HASH,
    expiresAt: AT,
    method: 'ed25519',
    acceptedAt: AT,
  },
  'federated-interaction/rejection': {
    ...signed,
    interactionId: INTERACTION,
    revision: 1,
    termsHash: HASH,
    reasonHash: null,
  },
  'federated-interaction/withdrawal': {
    ...signed,
    interactionId: INTERACTION,
    revision: 1,
    termsHash: HASH,
    reasonHash: null,
  },
  'federated-interaction/cancellation': {
    ...signed,
    interactionId: INTERACTION,
    termsHash: HASH,
    reasonHash: HASH,
  },
  'federated-interaction/completion': {
    ...signed,
    interactionId: INTERACTION,
    termsHash: HASH,
    reportHash: HASH,
  },
  'federated-interaction/erasure-consent': { ...signed, interactionId: INTERACTION },
  'agent/key-proof': { ...signed, jwkThumbprint: HASH, keyId: 'agent-alpha#1' },
  'agent/change': { ...signed, changeHash: HASH },
};
const statements = Object.entries(STATEMENTS).map(
  ([statement, members]) => ({ ...members, statement }) as unknown as Statement,
);

/** Another value that the statement's schema takes in the same place. */
const OTHERS: Readonly<Record<string, unknown>> = {
  audience: 'https://elsewhere.example',
  agentId: 'agent-beta',
  signedAt: '2030-01-01T00:00:00Z',
  acceptedAt: '2030-01-01T00:00:00Z',
  expiresAt: '2030-01-01T00:00:00Z',
  interactionId: INTERACTION.replace('7', '8'),
  revision: 2,
  previousTermsHash: OTHER_HASH,
  termsHash: OTHER_HASH,
  reasonHash: OTHER_HASH,
  reportHash: OTHER_HASH,
  changeHash: OTHER_HASH,
  jwkThumbprint: OTHER_HASH,
  keyId: 'agent-alpha#2',
  method: 'oauth_account',
  protocolVersion: '0.2',
  statement: 'federated-interaction/other',
};

const pair = generateKeyPairSync('ed25519');
const jwk: Ed25519Jwk = {
  kty: 'OKP',
  crv: 'Ed25519',
  x: pair.publicKey.export({ format: 'jwk' }).x ?? '',
};

describe('statements', () => {
  it.each(statements)('$statement is canonical JSON of exactly its members', (statement) => {
    expect(statementText(statement)).toBe(canonicalJson(statement));
    expect(validateStatement(statement)).toEqual({ ok: true, value: statement });
  });

  it.each(statements)('a signature over $statement fits no other statement', (statement) => {
    const signature = signEd25519(pair.privateKey, statementText(statement));
    expect(verifyStatement(jwk, statement, signature)).toBe(true);
    for (const member of Object.keys(statement)) {
      const other = { ...statement, [member]: OTHERS[member] } as Statement;
      expect([member, verifyStatement(jwk, other, signature)]).toEqual([member, false]);
    }
    for (const other of statements.filter((each) => each !== statement)) {
      expect(verifyStatement(jwk, other, signature)).toBe(false);
    }
  });

  it.each(statements)('$statement needs each of its members and takes no other', (statement) => {
    expect(validateStatement({ ...statement, extra: 1 }).ok).toBe(false);
    for (const member of Object.keys(statement)) {
      const { [member]: _, ...rest } = statement as unknown as Record<string, unknown>;
      expect([member, validateStatement(rest).ok]).toEqual([member, false]);
      for (const wrong of [7.5, true, [], {}, '', 'two words', `${HASH}=`]) {
        const judged = validateStatement({ ...statement, [member]: wrong });
        expect([member, wrong, judged.ok]).toEqual([member, wrong, false]);
      }
    }
  });

  it('revision 1 has no history, every later one has', () => {
    const first = STATEMENTS['federated-interaction/acceptance'];
    const statement = 'federated-interaction/acceptance';
    const judge = (members: object) => validateStatement({ ...first, statement, ...members }).ok;
    expect(judge({ revision: 1, previousTermsHash: HASH })).toBe(false);
    expect(judge({ revision: 2, previousTermsHash: null })).toBe(false);
    expect(judge({ revision: 2, previousTermsHash: HASH })).toBe(true);
  });

  it.each([
    null,
    undefined,
    [],
    'text',
    {},
    { statement: 'toString' },
    { statement: ['agent/change'] },
  ])('%j is none', (value) => {
    expect(validateStatement(value).ok).toBe(false);
  });
});

describe('hashes within statements', () => {
  const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest('base64url');

  it('a reason is hashed as text, and no reason is null', () => {
    expect(reasonHash(undefined)).toBeNull();
    expect(reasonHash('')).toBe(sha256(''));
    expect(reasonHash('naïve “ü”')).toBe(sha256('naïve “ü”'));
    expect(reasonHash('"a"')).not.toBe(reasonHash('a'));
  });

  it('a report is hashed as canonical JSON', () => {
    expect(reportHash({ b: 1, a: ['ü'] })).toBe(sha256('{"a":["ü"],"b":1}'));
  });

  it('a change is hashed without its signature, whatever else it holds', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (body, signature) => {
        fc.pre(!Object.hasOwn(body, 'signature'));
        expect(changeHash({ ...body, signature })).toBe(changeHash(body));
        expect(changeHash({ ...body, more: 1 })).not.toBe(changeHash({ ...body, more: 2 }));
      }),
    );
  });
});
