import { chmod } from 'node:fs/promises';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  DEV_AUDIENCE,
  DEV_ISSUER,
  devIssuerKeys,
  loadOrCreateDevKey,
} from '../../src/http/authentication/dev-issuer.js';
import { devIssuerKeyFile } from '../../src/config/data-folder.js';
import type { Ed25519PrivateJwk } from '../../src/kernel/ed25519.js';
import { countersign, Folder } from './support/countersign.js';

let folder: Folder;
let key: Ed25519PrivateJwk;
beforeAll(async () => {
  folder = await Folder.make();
  key = await loadOrCreateDevKey(devIssuerKeyFile(folder.path));
});
afterAll(() => folder.remove());

const who = ['--sub', 'owner', '--tenant', 'acme'];

describe('countersign token', () => {
  it('mints what the local issuer of the data folder would', async () => {
    const { exitCode, stdout, stderr } = await countersign([
      'token',
      ...who,
      ...['--client', 'client-1', '--agent', 'agent-alpha', '--ttl', '60'],
      ...['--scope', 'agents:write interactions:write', '--scope', 'interactions:read'],
      ...['--data-folder', folder.path],
    ]);
    expect([exitCode, stderr]).toEqual([0, '']);
    const jwt = stdout.trimEnd();
    const { payload } = await jwtVerify(jwt, devIssuerKeys(key), {
      issuer: DEV_ISSUER,
      audience: DEV_AUDIENCE,
    });
    expect(decodeProtectedHeader(jwt).alg).toBe('EdDSA');
    expect(payload).toMatchObject({
      sub: 'owner',
      tenant: 'acme',
      client_id: 'client-1',
      agent: 'agent-alpha',
      scope: 'agents:write interactions:write interactions:read',
    });
    expect(payload.exp! - payload.iat!).toBe(60);
  });

  it('lives an hour and says nothing that was not asked for', async () => {
    const { stdout } = await countersign(['token', ...who, '--data-folder', folder.path]);
    const { payload } = await jwtVerify(stdout.trimEnd(), devIssuerKeys(key));
    expect(payload.exp! - payload.iat!).toBe(3600);
    expect(payload).not.toHaveProperty('agent');
    expect(payload).not.toHaveProperty('client_id');
    expect(payload['scope']).toBe('');
  });

  it.each([
    [['token', '--sub', 'owner']],
    [['token', '--tenant', 'acme']],
    [['token', ...who, '--scope', 'agents:everything']],
    [['token', ...who, '--agent', 'a/b']],
    [['token', ...who, '--ttl', '0']],
    [['token', ...who, '--ttl', '1e3']],
    [['token', ...who, '--ttl', '9999999']],
    [['token', ...who, 'more']],
    [['token', ...who, '--data-dir', 'x']],
  ])('usage: %j', async (args) => {
    const { exitCode, stdout, stderr } = await countersign([...args, '--data-folder', folder.path]);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^usage: /);
  });

  it('makes no issuer where no service has one', async () => {
    const { exitCode, stderr } = await countersign([
      'token',
      ...who,
      '--data-folder',
      folder.in('empty'),
    ]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^dev-issuer-missing: /);
  });

  it('uses no key that others can read', async () => {
    const other = await Folder.make();
    await loadOrCreateDevKey(devIssuerKeyFile(other.path));
    await chmod(devIssuerKeyFile(other.path), 0o640);
    const { exitCode, stderr } = await countersign(['token', ...who, '--data-folder', other.path]);
    await other.remove();
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^dev-issuer-unreadable: /);
  });
});
