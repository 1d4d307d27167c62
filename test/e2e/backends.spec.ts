import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../src/kernel/json.js';
import { startTestService, type TestService } from '../support/service.js';
import { scripted } from './support/deployment.js';

let folder: string;
let service: TestService | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-backends-'));
});

afterEach(async () => {
  await service?.stop();
  service = undefined;
  await rm(folder, { recursive: true, force: true });
});

const agent = {
  agentId: 'finance',
  tenant: 'host',
  name: 'Finance',
  description: 'Reconciles.',
  version: '1.0',
};

/** An agent whose handler `recon` is bound to a backend of this name. */
async function start(
  name: string,
  env: Readonly<Record<string, string>> = {},
): Promise<TestService> {
  const backends = { recon: { kind: 'http', name, url: 'http://127.0.0.1:1/' } };
  const file = join(folder, 'agents.json');
  await writeFile(file, JSON.stringify({ agents: [{ ...agent, backends }] }));
  const started = await startTestService({
    folder,
    env: { HOSTED_AGENTS: file, TEXT_CLASSIFIER: 'words', ...env },
  });
  service = started;
  return started;
}

const manifest = (id: string, name: string): JsonObject =>
  scripted(id, {
    handler: 'recon',
    direct_invoke: { input_schema: {}, output_schema: {}, backend: { type: 'http', name } },
  });

async function register(to: TestService, body: JsonObject): Promise<unknown> {
  const token = await to.token({ tenant: 'host', scopes: ['capabilities:write'] });
  const headers = { 'idempotency-key': String(body['id']) };
  const { status, body: answer } = await to.call('POST', '/v1/capabilities', {
    token,
    body,
    headers,
  });
  return status === 201 ? status : [status, answer['code'], answer['errors']];
}

describe('a node whose hosted agents have backends elsewhere', () => {
  it('publishes the key that verifies their tokens', async () => {
    const { body } = await (await start('ledger')).call('GET', '/.well-known/jwks.json');
    const listed = await service!.call('GET', '/v1/platform-keys');
    const keys = listed.body['keys'] as readonly JsonObject[];
    const [token] = keys.filter(({ purpose }) => purpose === 'backend-token');
    const published = (body['keys'] as readonly JsonObject[]).map(({ kid }) => kid);
    expect(published).toContain(token?.['keyId']);
  });

  it('does not start without one', async () => {
    const keys = ['attestation', 'card'].map((purpose) => ({
      ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }),
      kid: purpose,
      purpose,
    }));
    const file = join(folder, 'keys.jwks.json');
    await writeFile(file, JSON.stringify({ keys }), { mode: 0o600 });
    await expect(start('ledger', { PLATFORM_KEYS: file })).rejects.toThrow(
      `${file}: backends of hosted agents need a key of the purpose backend-token`,
    );
  });

  it('RFC section 4, a mismatch is rejected: no manifest says else of a backend than that does', async () => {
    const node = await start('ledger');
    expect(await register(node, manifest('wrong', 'payroll'))).toEqual([
      422,
      'backend-summary-mismatch',
      [{ pointer: '/direct_invoke/backend', detail: 'is not what its backend says of itself' }],
    ]);
    expect(await register(node, manifest('right', 'ledger'))).toBe(201);
    const unbound = { ...manifest('unbound', 'payroll'), handler: 'elsewhere' };
    expect(await register(node, unbound)).toBe(201);
  });

  it('RFC section 4, a mismatch is rejected: no start with another backend than manifests say', async () => {
    const node = await start('ledger');
    expect(await register(node, manifest('right', 'ledger'))).toBe(201);
    await node.stop();
    await expect(start('payroll')).rejects.toThrow('finance/right: backend-summary-mismatch');
    await start('ledger');
  });
});
