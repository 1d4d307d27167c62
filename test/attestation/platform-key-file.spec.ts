import { generateKeyPairSync } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadPlatformKeys, parsePlatformKeys } from '../../src/attestation/platform-key-file.js';
import { PrivateFileError } from '../../src/config/private-file.js';

function jwk(
  kid: string,
  changes: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const pair = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return { ...pair, kid, purpose: 'attestation', ...changes };
}

function faultsOf(...keys: readonly unknown[]): readonly string[] {
  const parsed = parsePlatformKeys(JSON.stringify({ keys }));
  return parsed.ok ? [] : parsed.error;
}

describe('the file of platform keys', () => {
  it('gives the keys in their order, with the private halves', () => {
    const parsed = parsePlatformKeys(
      JSON.stringify({ keys: [jwk('a'), jwk('b', { purpose: 'card' }), jwk('c')] }),
    );
    if (!parsed.ok) throw new Error(parsed.error.join());
    expect(parsed.value.map(({ keyId, purpose }) => `${keyId} ${purpose}`)).toEqual([
      'a attestation',
      'b card',
      'c attestation',
    ]);
    expect(parsed.value.every(({ privateKey }) => privateKey?.type === 'private')).toBe(true);
  });

  it('may lack the private half of a revoked key, and of no other', () => {
    expect(faultsOf(jwk('a', { d: undefined, revoked: 'key-compromise' }), jwk('b'))).toEqual([]);
    expect(faultsOf(jwk('a', { d: undefined }))).toEqual([
      'keys[0].d is missing or belongs to another key',
    ]);
  });

  it('demands an attestation key that is not revoked', () => {
    const fault = 'a key with the purpose attestation is required';
    expect(faultsOf(jwk('a', { purpose: 'card' }))).toEqual([fault]);
    expect(faultsOf(jwk('a', { revoked: 'unspecified' }))).toEqual([fault]);
    expect(faultsOf()).toEqual([fault]);
  });

  it('names every fault', () => {
    const identity = Buffer.concat([Buffer.from([1]), Buffer.alloc(31)]).toString('base64url');
    const good = jwk('good');
    expect(
      faultsOf(
        good,
        { ...good, kid: 'twin' },
        jwk('good'),
        jwk('', { purpose: 'attest' }),
        jwk('e', { d: jwk('other')['d'] }),
        jwk('f', { x: identity }),
        jwk('g', { kty: 'EC' }),
        jwk('h', { revoked: true }),
        'text',
      ),
    ).toEqual([
      'keys[3].kid is missing or malformed',
      'keys[3].purpose must be one of attestation, card, checkpoint, backend-token',
      'keys[4].d is missing or belongs to another key',
      'keys[5] is no usable Ed25519 key (key-unsafe-point)',
      'keys[6] is no usable Ed25519 key (key-malformed)',
      'keys[7].revoked must be one of key-compromise, superseded, unspecified',
      'keys[8] is not a JWK',
      'kid good stands twice',
      `the key ${String(good['x'])} stands twice`,
    ]);
  });

  it.each(['', '[]', '{}', '{"keys":{}}', '{"keys":[],"keys":[]}'])('is not %j', (text) => {
    const parsed = parsePlatformKeys(text);
    expect(parsed).toEqual({ ok: false, error: ['the file is not a JWK Set: {"keys": [...]}'] });
  });

  describe('on disk', () => {
    let file: string;

    beforeEach(async () => {
      file = join(await mkdtemp(join(tmpdir(), 'countersign-test-')), 'keys.json');
    });

    afterEach(async () => {
      await rm(join(file, '..'), { recursive: true });
    });

    it('is made only where that was asked for, and stays the same', async () => {
      expect(await loadPlatformKeys({ file, generate: false })).toEqual({
        ok: false,
        error: ['does not exist'],
      });
      const made = await loadPlatformKeys({ file, generate: true });
      const again = await loadPlatformKeys({ file, generate: true });
      expect(made.ok && made.value.map(({ jwk: { x } }) => x)).toEqual(
        again.ok && again.value.map(({ jwk: { x } }) => x),
      );
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
        keys: ['attestation', 'card', 'checkpoint', 'backend-token'].map((purpose) => ({
          purpose,
        })),
      });
    });

    it('is not used when others can read it', async () => {
      await writeFile(file, JSON.stringify({ keys: [jwk('a')] }));
      await chmod(file, 0o644);
      await expect(loadPlatformKeys({ file, generate: false })).rejects.toThrow(PrivateFileError);
    });
  });
});
