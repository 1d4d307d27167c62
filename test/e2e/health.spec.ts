import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestService, type InProcessService } from '../support/service.js';

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
        'key-store': { healthy: true, details: { engine: 'sqlite' } },
        projections: { healthy: true, details: { stalled: null } },
      },
    });
  });
});
