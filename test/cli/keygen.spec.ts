import { readFile, stat, symlink } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PLATFORM_KEY_PURPOSES } from '../../src/attestation/domain/platform-key.js';
import { loadPlatformKeys } from '../../src/attestation/platform-key-file.js';
import { jwkThumbprint, parsePublicKey, type Ed25519PrivateJwk } from '../../src/kernel/ed25519.js';
import { countersign, Folder } from './support/countersign.js';

let folder: Folder;
beforeAll(async () => {
  folder = await Folder.make();
});
afterAll(() => folder.remove());

interface PublicHalf {
  keyId?: string;
  jwk: { kty: 'OKP'; crv: 'Ed25519'; x: string };
  jwkThumbprint: string;
}

describe('countersign keygen', () => {
  it('writes a file for its owner alone and prints the public half', async () => {
    const path = folder.in('alpha.jwk');
    const { exitCode, stdout, stderr } = await countersign([
      'keygen',
      '--key-id',
      'alpha#1',
      '--out',
      path,
    ]);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const stored = JSON.parse(await readFile(path, 'utf8')) as Ed25519PrivateJwk;
    const { d, ...publicPart } = stored;
    expect(publicPart).toEqual({
      kty: 'OKP',
      crv: 'Ed25519',
      x: expect.any(String),
      kid: 'alpha#1',
    });
    expect(Buffer.from(d, 'base64url')).toHaveLength(32);
    expect(stdout).not.toContain(d);

    const printed = JSON.parse(stdout) as PublicHalf;
    expect(printed.keyId).toBe('alpha#1');
    expect(parsePublicKey(printed.jwk.x)).toEqual({ ok: true, value: printed.jwk });
    expect(printed.jwk.x).toBe(stored.x);
    expect(printed.jwkThumbprint).toBe(jwkThumbprint(printed.jwk));
  });

  it.each(PLATFORM_KEY_PURPOSES)('makes a file of platform keys for %s', async (purpose) => {
    const path = folder.in(`${purpose}.jwks.json`);
    const { exitCode, stdout, stderr } = await countersign([
      'keygen',
      '--purpose',
      purpose,
      '--out',
      path,
    ]);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const printed = JSON.parse(stdout) as PublicHalf;
    expect(printed.keyId).toBe(printed.jwkThumbprint);
    expect(printed.jwkThumbprint).toBe(jwkThumbprint(printed.jwk));
    const stored = JSON.parse(await readFile(path, 'utf8')) as {
      keys: { d: string }[];
    };
    const { d } = stored.keys[0]!;
    expect(stored).toEqual({
      keys: [{ ...printed.jwk, d, kid: printed.jwkThumbprint, purpose }],
    });
    expect(stdout).not.toContain(d);
  });

  it('makes platform keys that a node takes, under the id that was asked for', async () => {
    const file = folder.in('platform-keys.jwks.json');
    const named = ['--key-id', 'att-2026-1', '--purpose', 'attestation'];
    expect((await countersign(['keygen', ...named, '--out', file])).exitCode).toBe(0);
    const held = await loadPlatformKeys({ file, generate: false });
    expect(held).toEqual({
      ok: true,
      value: [expect.objectContaining({ keyId: 'att-2026-1', purpose: 'attestation' })],
    });
  });

  it('knows the purposes of platform keys', async () => {
    const { exitCode, stdout, stderr } = await countersign(['keygen', '--purpose', 'everything']);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^usage: .*attestation, card, checkpoint, backend-token\n$/);
  });

  it('overwrites nothing, and writes through no link', async () => {
    const path = await folder.file('there', 'precious');
    const link = folder.in('link');
    await symlink(folder.in('nowhere'), link);
    for (const out of [path, link]) {
      const { exitCode, stdout, stderr } = await countersign(['keygen', '--out', out]);
      expect([exitCode, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/^output-exists: /);
    }
    expect(await readFile(path, 'utf8')).toBe('precious');
    await expect(stat(folder.in('nowhere'))).rejects.toThrow();
  });

  it('says when it cannot write', async () => {
    const { exitCode, stderr } = await countersign([
      'keygen',
      '--out',
      folder.in('no/such/folder'),
    ]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^output-unwritable: /);
  });

  it('prints the private key on stdout only when no file is named, and another one each time', async () => {
    const [first, second] = await Promise.all([countersign(['keygen']), countersign(['keygen'])]);
    const privateJwk = JSON.parse(first.stdout) as Ed25519PrivateJwk;
    expect(privateJwk.d).not.toBe((JSON.parse(second.stdout) as Ed25519PrivateJwk).d);
    expect((JSON.parse(first.stderr) as PublicHalf).jwk.x).toBe(privateJwk.x);
    expect(first.stderr).not.toContain(privateJwk.d);
  });

  it('takes only ids that an agent can register', async () => {
    const { exitCode, stderr } = await countersign(['keygen', '--key-id', 'a b']);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^usage: /);
  });
});
