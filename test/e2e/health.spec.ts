import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BINDINGS, saying } from '../a2a/transports/support/bindings.js';
import { logOf } from '../support/captured-log.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { deployment, scripted } from './support/deployment.js';
import { contractOf, Negotiator } from './support/negotiator.js';

describe('health', () => {
  let service: InProcessService;

  beforeAll(async () => {
    service = await startTestService();
  });

  afterAll(async () => {
    await service.dispose();
  });

  it('says without a token that the process is alive and ready', async () => {
    const live = await service.call('GET', '/health/live');
    expect([live.status, live.body]).toEqual([200, { status: 'live' }]);
    const ready = await service.call('GET', '/health/ready');
    expect(ready.status).toBe(200);
    expect(ready.body).toMatchObject({ status: 'ready', checks: { 'event-store': 'ok' } });
  });

  it('shows details to operators only', async () => {
    const stranger = await service.call('GET', '/health', { token: await service.token() });
    expect([stranger.status, stranger.body['code']]).toEqual([403, 'scope-missing']);
    const token = await service.token({ scopes: ['operator:read'] });
    const details = await service.call('GET', '/health', { token });
    expect(details.status).toBe(200);
    expect(details.body).toMatchObject({
      status: 'ready',
      checks: {
        'event-store': { healthy: true, details: { engine: 'sqlite', canWrite: true } },
        'key-store': { healthy: true, details: { engine: 'sqlite', canWrite: true } },
        'task-store': { healthy: true, details: { engine: 'sqlite', canWrite: true } },
        projections: { healthy: true, details: { stalled: null } },
      },
    });
  });
});

describe('a node of which one store takes no writes', () => {
  const AGENT = 'studio';
  let service: InProcessService;
  let alpha: Negotiator;
  let beta: Negotiator;

  beforeAll(async () => {
    const manifests = [scripted('say', { handler: 'e2e.named' })];
    service = await startTestService(await deployment({ [AGENT]: manifests }));
    alpha = await Negotiator.register(service, 'agent-alpha');
    beta = await Negotiator.register(service, 'agent-beta');
  });

  afterAll(async () => {
    await service.dispose();
  });

  async function propose(): Promise<string> {
    const { status, body } = await alpha.propose(contractOf([alpha, beta]), beta);
    return status === 201 ? 'written' : String(body['code']);
  }

  async function send(): Promise<string> {
    const [binding] = BINDINGS;
    const token = await service.token({ principal: 'alice', tenant: 'partner', scopes: [] });
    const message = saying('go', { metadata: { skillId: 'say' } });
    const { error } = await binding!.call(`${service.url}/a2a/${AGENT}`, 'SendMessage', message, {
      token,
    });
    return error === undefined ? 'written' : error.reason;
  }

  it.each([
    ['KEY_STORE', 'keys.db', 'key-store', propose, 'store-unavailable'],
    ['TASK_STORE', 'tasks.db', 'task-store', send, 'STORE_UNAVAILABLE'],
  ] as const)(
    'leaves service and says which, until it is written again: %s',
    async (setting, file, check, write, refusal) => {
      expect(await write()).toBe('written');
      const other = new Database(join(service.folder, file));
      other.exec('BEGIN IMMEDIATE');
      const log = await logOf(async () => {
        expect(await write()).toBe(refusal);
        const { status, body } = await service.call('GET', '/health/ready');
        expect([status, body]).toMatchObject([
          503,
          { checks: { 'event-store': 'ok', [check]: 'failing' } },
        ]);
      }).finally(() => other.close());
      expect(log.join('')).toContain(`"message":"${setting}: `);
      expect(await write()).toBe('written');
      expect((await service.call('GET', '/health/ready')).status).toBe(200);
    },
  );
});
