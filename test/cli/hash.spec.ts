import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Contract } from '../../src/kernel/federated-interaction.js';
import { countersign, Folder } from './support/countersign.js';

const vectors = JSON.parse(
  readFileSync(new URL('../vectors/acceptance-and-attestation.json', import.meta.url), 'utf8'),
) as { contract: Contract; termsHash: string };
const { contract } = vectors;

let folder: Folder;
beforeAll(async () => {
  folder = await Folder.make();
});
afterAll(() => folder.remove());

describe('countersign hash', () => {
  it('prints the terms hash alone on one line', async () => {
    const file = await folder.file('contract.json', contract);
    expect(await countersign(['hash', file])).toEqual({
      exitCode: 0,
      stdout: `${vectors.termsHash}\n`,
      stderr: '',
    });
  });

  it('reads stdin, whatever the order of members and the white space', async () => {
    const reversed = Object.fromEntries(Object.entries(contract).toReversed());
    const { exitCode, stdout } = await countersign(
      ['hash', '-'],
      `\n${JSON.stringify(reversed, undefined, '\t')}\n`,
    );
    expect([exitCode, stdout]).toEqual([0, `${vectors.termsHash}\n`]);
  });

  const text = JSON.stringify(contract);
  it.each([
    [
      'json-duplicate-name',
      text.replace('"retentionDays":30', '"retentionDays":1,"retentionDays":30'),
    ],
    ['json-duplicate-name', '{"a":[{"b":{"retentionDays":1,"retention\\u0044ays":3650}}]}'],
    ['json-lone-surrogate', text.replace('Translate', '\\ud83d')],
    ['json-lone-surrogate', text.replace('"purpose"', '"\\ude00\\ud83d":1,"purpose"')],
    ['json-inexact-number', text.replace('"retentionDays":30', '"retentionDays":9007199254740993')],
    ['json-inexact-number', text.replace('"retentionDays":30', '"retentionDays":1E400')],
    ['json-forbidden-name', text.replace('"purpose"', '"__proto__":{},"purpose"')],
    ['json-too-deep', '['.repeat(65) + ']'.repeat(65)],
    ['json-too-large', JSON.stringify({ ...contract, purpose: 'x'.repeat(256 * 1024) })],
    ['json-syntax', `${text}x`],
    ['json-syntax', ''],
    ['contract-invalid', JSON.stringify({ ...contract, extra: 1 })],
    ['contract-invalid', JSON.stringify([contract])],
    ['contract-invalid', text.replace('"retentionDays":30', '"retentionDays":1.10')],
    [
      'signatures-not-empty',
      JSON.stringify({
        ...contract,
        signatures: { a: { algorithm: 'Ed25519', keyId: 'k', value: 'v' } },
      }),
    ],
  ])('%s exits with 2 and its code on stderr', async (code, input) => {
    const finished = await countersign(['hash', '-'], input);
    expect(finished).toEqual({ exitCode: 2, stdout: '', stderr: expect.any(String) });
    expect(finished.stderr).toMatch(new RegExp(`^${code}: .*\n$`));
  });

  it.each([
    ['input-unreadable', ['hash', '/no/such/file']],
    ['input-unreadable', ['hash', '/']],
    ['usage', ['hash']],
    ['usage', ['hash', 'a', 'b']],
    ['usage', ['hash', '--keys', 'a', 'b']],
  ])('%s: %j', async (code, args) => {
    const { exitCode, stderr } = await countersign(args);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(new RegExp(`^${code}: .*\n$`));
  });
});
