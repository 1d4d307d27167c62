import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { PROCESS_TEST_TIMEOUT } from '../contracts/support/effort.js';
import { RestAgent } from '../agents/support/rest-agent.js';
import { spawnTestService, type SpawnedService } from '../support/service.js';
import { refused, verdictOn } from './support/expectations.js';
import { contractOf, documentOf, Negotiator } from './support/negotiator.js';
import { nodeOf } from './support/nodes.js';
import { auditFailures } from './support/offline-audit.js';

/** Within the leeway of what agents sign, and longer than the test takes. */
const AHEAD_MS = 120_000;
const CLOCK_AHEAD = `const now = Date.now; Date.now = () => now() + ${String(AHEAD_MS)};`;

const env = { LOG_CHECKPOINT_SECONDS: '1' };

let folder: string;
let ahead: SpawnedService;
let node: SpawnedService;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-test-'));
  const options = nodeOf({ folder, env }, 'node-a');
  const script = `data:text/javascript,${encodeURIComponent(CLOCK_AHEAD)}`;
  // The first: it registers the platform's keys.
  ahead = await spawnTestService({
    ...options,
    env: { ...options.env, NODE_OPTIONS: `--import=${script}` },
  });
  node = await spawnTestService(nodeOf({ folder, env }, 'node-b'));
}, PROCESS_TEST_TIMEOUT);

afterEach(async () => {
  await node.stop();
  await ahead.stop();
  await rm(folder, { recursive: true, force: true });
});

it(
  'a contract verifies offline whose keys were registered by a node that is ahead',
  async () => {
    const alpha = await Negotiator.register(node, 'alpha');
    const beta = (await Negotiator.register(ahead, 'beta')).at(node);
    const proposed = documentOf(await alpha.propose(contractOf([alpha, beta]), beta));
    // Nothing is dated before what it rests on: here beta's registration.
    expect(Date.parse(proposed.updatedAt)).toBeGreaterThan(Date.now());
    const accepted = documentOf(await beta.accept(proposed));
    expect(accepted.status).toBe('active');
    expect(await verdictOn(accepted, alpha)).toBe('verified');
    const other = documentOf(await beta.propose(contractOf([beta, alpha]), alpha));
    expect(await verdictOn(documentOf(await alpha.accept(other)), alpha)).toBe('verified');
  },
  PROCESS_TEST_TIMEOUT,
);

it(
  'nothing is accepted with a key that a node has revoked which is ahead',
  async () => {
    const alpha = await Negotiator.register(node, 'alpha');
    const beta = await Negotiator.register(node, 'beta');
    const pending = documentOf(await alpha.propose(contractOf([alpha, beta]), beta));
    const { agentId, key, ownerToken } = beta;
    if (key === null) throw new Error('beta has a key');
    const revoked = await new RestAgent(ahead, agentId).change(
      'POST',
      `/keys/${key.keyId}/revocation`,
      { change: 'revoke-key', expectedRevision: 0, keyId: key.keyId },
      key,
      { ...ownerToken, scopes: ['agents:write'] },
    );
    expect([revoked.status, revoked.text]).toEqual([200, expect.any(String)]);
    refused(await beta.accept(pending), 422, 'key-not-valid');
    refused(await beta.reject(pending), 422, 'key-not-valid');
    refused(await beta.propose(contractOf([beta, alpha]), alpha), 422, 'key-not-valid');
    expect(await auditFailures(node)).toEqual([]);
  },
  PROCESS_TEST_TIMEOUT,
);
