import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  changeHash,
  reasonHash,
  reportHash,
  verifyStatement,
  type Statement,
} from '../../src/kernel/statements.js';
import { jwkThumbprint } from '../../src/kernel/ed25519.js';
import { termsHash } from '../../src/kernel/terms.js';
import {
  alpha,
  AUDIENCE,
  beta,
  CONTRACT,
  EXPIRES_AT,
  INTERACTION,
} from '../audit/support/documents.js';
import { countersign, Folder } from './support/countersign.js';

const HASH = termsHash(CONTRACT);
const AT = '2030-01-01T00:00:00.000Z';
const REPORT = { successCriteria: [], completionConditions: [], evidenceRequirements: [] };
const BODY = { change: 'add-key', expectedRevision: 3, keyId: 'agent-alpha#2' };

let folder: Folder;
let key: string;
let contract: string;
let report: string;
let body: string;
beforeAll(async () => {
  folder = await Folder.make();
  key = await folder.file('alpha.jwk', alpha.privateJwk);
  contract = await folder.file('contract.json', CONTRACT);
  report = await folder.file('report.json', REPORT);
  body = await folder.file('body.json', {
    ...BODY,
    signature: { keyId: 'k', signedAt: AT, value: 'v' },
  });
});
afterAll(() => folder.remove());

const common = { protocolVersion: '0.1', audience: AUDIENCE, agentId: alpha.agentId };
const acceptance = {
  ...common,
  statement: 'federated-interaction/acceptance',
  interactionId: INTERACTION,
  revision: 1,
  previousTermsHash: null,
  termsHash: HASH,
  expiresAt: EXPIRES_AT,
  method: 'ed25519',
  acceptedAt: AT,
};

function expectSignature(stdout: string, statement: object, moment: object): void {
  const printed = JSON.parse(stdout) as { keyId: string; value: string };
  expect(printed).toEqual({ keyId: alpha.keyId, value: expect.any(String), ...moment });
  expect(verifyStatement(alpha.jwk, statement as Statement, printed.value)).toBe(true);
  expect(stdout.trimEnd()).not.toContain('\n');
}

describe('countersign sign --statement', () => {
  it('signs a statement from a file or from stdin', async () => {
    const file = await folder.file('statement.json', acceptance);
    const fromFile = await countersign(['sign', '--key', key, '--statement', file]);
    expect([fromFile.exitCode, fromFile.stderr]).toEqual([0, '']);
    expectSignature(fromFile.stdout, acceptance, { acceptedAt: AT });
    const fromStdin = await countersign(
      ['sign', '--key', key, '--statement', '-'],
      JSON.stringify(acceptance, undefined, 2),
    );
    expect(fromStdin).toEqual(fromFile);
  });

  it('takes another key id than the kid', async () => {
    const { stdout } = await countersign(
      ['sign', '--key', key, '--key-id', 'other', '--statement', '-'],
      JSON.stringify(acceptance),
    );
    expect((JSON.parse(stdout) as { keyId: string }).keyId).toBe('other');
  });

  it.each([
    ['statement-invalid', { ...acceptance, extra: 1 }],
    ['statement-invalid', { ...acceptance, statement: 'something/else' }],
    ['statement-invalid', { ...acceptance, audience: `${AUDIENCE}/` }],
    ['statement-invalid', { ...acceptance, previousTermsHash: HASH }],
    ['statement-invalid', [acceptance]],
    [
      'statement-invalid',
      {
        ...common,
        statement: 'agent/key-proof',
        jwkThumbprint: jwkThumbprint(beta.jwk),
        keyId: alpha.keyId,
        signedAt: AT,
      },
    ],
    ['json-syntax', undefined],
  ])('%s is not signed: %j', async (code, statement) => {
    const { exitCode, stdout, stderr } = await countersign(
      ['sign', '--key', key, '--statement', '-'],
      statement === undefined ? '{' : JSON.stringify(statement),
    );
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(new RegExp(`^${code}: `));
  });

  it.each([
    ['a public key', alpha.jwk],
    ['two halves of different keys', { ...alpha.privateJwk, x: beta.jwk.x }],
    ['a short seed', { ...alpha.privateJwk, d: 'AAAA' }],
    ['another curve', { ...alpha.privateJwk, crv: 'X25519' }],
    ['a list', [alpha.privateJwk]],
  ])('a file with %s is no private key', async (name, content) => {
    const file = await folder.file(`${name}.jwk`, content);
    const { exitCode, stderr } = await countersign(
      ['sign', '--key', file, '--statement', '-'],
      JSON.stringify(acceptance),
    );
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^private-key-invalid: /);
    expect(stderr).not.toContain(alpha.privateJwk.d);
  });
});

describe('countersign sign KIND', () => {
  const who = ['--audience', AUDIENCE, '--agent', alpha.agentId, '--at', AT];
  const signed = { ...common, signedAt: AT };
  const about = { interactionId: INTERACTION, termsHash: HASH };
  const cases: [kind: string, flags: () => string[], statement: object][] = [
    [
      'acceptance',
      () => ['--contract', contract, '--revision', '1', '--expires-at', EXPIRES_AT],
      acceptance,
    ],
    [
      'acceptance',
      () => [
        '--interaction',
        INTERACTION,
        '--terms-hash',
        HASH,
        '--revision',
        '2',
        '--previous',
        HASH,
        '--expires-at',
        EXPIRES_AT,
      ],
      { ...acceptance, revision: 2, previousTermsHash: HASH },
    ],
    [
      'rejection',
      () => ['--contract', contract, '--revision', '1'],
      { ...signed, ...about, revision: 1, reasonHash: null },
    ],
    [
      'withdrawal',
      () => ['--contract', contract, '--revision', '1', '--reason', 'ü'],
      { ...signed, ...about, revision: 1, reasonHash: reasonHash('ü') },
    ],
    ['cancellation', () => ['--contract', contract], { ...signed, ...about, reasonHash: null }],
    [
      'completion',
      () => ['--contract', contract, '--report', report],
      { ...signed, ...about, reportHash: reportHash(REPORT) },
    ],
    [
      'erasure-consent',
      () => ['--interaction', INTERACTION],
      { ...signed, interactionId: INTERACTION },
    ],
    [
      'key-proof',
      () => [],
      {
        ...signed,
        statement: 'agent/key-proof',
        jwkThumbprint: jwkThumbprint(alpha.jwk),
        keyId: alpha.keyId,
      },
    ],
    [
      'change',
      () => ['--body', body],
      { ...signed, statement: 'agent/change', changeHash: changeHash(BODY) },
    ],
  ];

  it.each(cases)('%s (%#)', async (kind, flags, statement) => {
    const { exitCode, stdout, stderr } = await countersign([
      'sign',
      kind,
      '--key',
      key,
      ...who,
      ...flags(),
    ]);
    expect([exitCode, stderr]).toEqual([0, '']);
    expectSignature(
      stdout,
      { statement: `federated-interaction/${kind}`, ...statement },
      kind === 'acceptance' ? { acceptedAt: AT } : { signedAt: AT },
    );
  });

  it('signs the present moment when none is given', async () => {
    const before = Date.now();
    const { stdout } = await countersign(['sign', 'key-proof', '--key', key, ...who.slice(0, 4)]);
    const { signedAt } = JSON.parse(stdout) as { signedAt: string };
    expect(Date.parse(signedAt)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(signedAt)).toBeLessThanOrEqual(Date.now());
  });

  it.each([
    [
      'statement-invalid',
      () => ['acceptance', '--contract', contract],
      ['/revision', '/expiresAt'],
    ],
    [
      'statement-invalid',
      () => ['acceptance', '--contract', contract, '--revision', 'one', '--expires-at', EXPIRES_AT],
      ['/revision'],
    ],
    ['statement-invalid', () => ['change'], ['/changeHash']],
    ['usage', () => ['acceptance', '--contract', contract, '--terms-hash', 'A'.repeat(43)], [HASH]],
    ['usage', () => ['acceptance', '--contract', contract, '--interaction', 'x'], [INTERACTION]],
    ['usage', () => ['consent'], []],
    ['usage', () => ['nope'], ['acceptance, rejection', 'key-proof']],
    ['usage', () => ['key-proof', '--statement', '-'], []],
    ['usage', () => [], []],
    ['input-unreadable', () => ['completion', '--contract', contract, '--report', '/no/such'], []],
  ] as [string, () => string[], string[]][])('%s (%#)', async (code, args, mentions) => {
    const { exitCode, stdout, stderr } = await countersign([
      'sign',
      ...args(),
      '--key',
      key,
      ...who,
    ]);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(new RegExp(`^${code}: `));
    for (const mention of mentions) expect(stderr).toContain(mention);
  });
});
