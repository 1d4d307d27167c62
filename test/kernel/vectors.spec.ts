import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { attestRevision, revisionDigest, verifyAttestation } from '../../src/kernel/attestation.js';
import { canonicalJson } from '../../src/kernel/canonical-json.js';
import {
  parsePublicKey,
  privateKeyObject,
  signEd25519,
  type Ed25519Jwk,
} from '../../src/kernel/ed25519.js';
import type {
  Acceptance,
  Contract,
  ContractRevision,
} from '../../src/kernel/federated-interaction.js';
import type { KeyId } from '../../src/kernel/ids.js';
import {
  makeStatement,
  statementText,
  verifyStatement,
  type AcceptanceStatement,
} from '../../src/kernel/statements.js';
import { parseStrictJson } from '../../src/kernel/strict-json.js';
import { termsHash } from '../../src/kernel/terms.js';
import { validateContract, validateStatement } from '../../src/kernel/wire-schema.js';
import { judgeRevision } from '../support/judge-revision.js';

interface Vectors {
  readonly keys: Readonly<Record<string, { readonly x: string; readonly spki: string }>>;
  readonly contract: Contract;
  readonly canonicalContract: string;
  readonly termsHash: string;
  readonly statements: Readonly<Record<'alpha' | 'beta', string>>;
  readonly acceptances: Readonly<Record<'alpha' | 'beta', Acceptance>>;
  readonly attestedRevision: ContractRevision;
}

const file = readFileSync(new URL('../vectors/acceptance-and-attestation.json', import.meta.url));
const parsed = parseStrictJson(file);
if (!parsed.ok) throw new Error(parsed.error.code);
const vectors = parsed.value as unknown as Vectors;

const SEEDS: Readonly<Record<string, number>> = {
  'agent-alpha#1': 1,
  'agent-beta#1': 2,
  'platform-vector-key': 9,
};

function publicJwk(keyId: string): Ed25519Jwk {
  const key = parsePublicKey(vectors.keys[keyId]!.x);
  if (!key.ok) throw new Error(key.error);
  return key.value;
}

function privateKey(keyId: string) {
  const d = Buffer.alloc(32, SEEDS[keyId]).toString('base64url');
  return privateKeyObject({ ...publicJwk(keyId), d });
}

describe('the worked example of an acceptance and an attestation', () => {
  it.each(Object.keys(SEEDS))('the key %s is one key as x and as SPKI', (keyId) => {
    const { x, spki } = vectors.keys[keyId]!;
    expect(parsePublicKey(spki)).toEqual(parsePublicKey(x));
    expect(parsePublicKey(x).ok).toBe(true);
  });

  it('the contract: schema, canonical form, hash', () => {
    expect(validateContract(vectors.contract).ok).toBe(true);
    expect(canonicalJson(vectors.contract)).toBe(vectors.canonicalContract);
    expect(termsHash(vectors.contract)).toBe(vectors.termsHash);
  });

  it('the hash does not cover signatures', () => {
    const signatures = { a: { algorithm: 'Ed25519', keyId: 'k', value: 'v' } };
    expect(termsHash({ ...vectors.contract, signatures })).toBe(vectors.termsHash);
  });

  it.each(['alpha', 'beta'] as const)('the acceptance of agent-%s', (name) => {
    const acceptance = vectors.acceptances[name];
    const { contract, revision, interactionId, expiresAt } = vectors.attestedRevision;
    const statement = makeStatement<AcceptanceStatement>('federated-interaction/acceptance', {
      audience: 'https://countersign.example',
      interactionId,
      revision,
      previousTermsHash: null,
      termsHash: termsHash(contract),
      expiresAt,
      agentId: acceptance.agentId,
      method: 'ed25519',
      acceptedAt: acceptance.acceptedAt,
    });
    const { keyId, value } = acceptance.signature!;
    expect(statementText(statement)).toBe(vectors.statements[name]);
    expect(validateStatement(statement)).toEqual({ ok: true, value: statement });
    expect(verifyStatement(publicJwk(keyId), statement, value)).toBe(true);
    expect(signEd25519(privateKey(keyId), statementText(statement))).toBe(value);
  });

  it('the attested revision', () => {
    const { platformAttestation, ...unattested } = vectors.attestedRevision;
    const keyId = 'platform-vector-key' as KeyId;
    expect(judgeRevision(vectors.attestedRevision).ok).toBe(true);
    expect(revisionDigest(unattested)).toBe(platformAttestation!.digest);
    expect(revisionDigest(vectors.attestedRevision)).toBe(platformAttestation!.digest);
    expect(attestRevision(unattested, keyId, privateKey(keyId))).toEqual(platformAttestation);
    expect(verifyAttestation(vectors.attestedRevision, publicJwk(keyId))).toBe(true);
  });

  it('the attestation holds for nothing else', () => {
    const { platformAttestation, ...unattested } = vectors.attestedRevision;
    const jwk = publicJwk('platform-vector-key');
    expect(verifyAttestation(unattested, jwk)).toBe(false);
    expect(verifyAttestation(vectors.attestedRevision, publicJwk('agent-alpha#1'))).toBe(false);
    for (const member of Object.keys(unattested)) {
      const changed = { ...vectors.attestedRevision, [member]: 'other' };
      expect([member, verifyAttestation(changed, jwk)]).toEqual([member, false]);
      // A recomputed digest does not help: it is what was signed.
      const digest = revisionDigest(changed);
      const redigested = { ...changed, platformAttestation: { ...platformAttestation!, digest } };
      expect([member, verifyAttestation(redigested, jwk)]).toEqual([member, false]);
    }
  });
});
