import { afterEach, describe, expect, it } from '@jest/globals';
import { startA2aServer, type A2aTestServer } from './support/a2a-server.js';
import { BINDINGS, jsonRpc, saying } from './support/bindings.js';

describe.each(BINDINGS)('who may call, over $name', (binding) => {
  let server: A2aTestServer;

  afterEach(async () => {
    await server.close();
  });

  it.each(['secret', 'shared', 'refused'] as const)(
    'a bad token never, with %s',
    async (anonymous) => {
      server = await startA2aServer({ anonymous });
      const ask = { token: 'bad' };
      const reply = await binding.call(server.agentUrl, 'SendMessage', saying('x'), ask);
      expect(reply.status).toBe(401);
      expect(reply.error).toMatchObject({
        reason: 'TOKEN_INVALID',
        domain: 'countersign.example',
        code: binding === jsonRpc ? -32000 : 'UNAUTHENTICATED',
      });
      expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token"/);
      expect(server.messages.received).toHaveLength(0);
    },
  );

  it('nobody without a token where that is refused', async () => {
    server = await startA2aServer({ anonymous: 'refused' });
    const refused = await binding.call(server.agentUrl, 'SendMessage', saying('x'));
    expect([refused.status, refused.error?.reason]).toEqual([401, 'TOKEN_MISSING']);
    expect(refused.headers.get('www-authenticate')).toBe('Bearer');
    const ask = { token: 'alice' };
    const served = await binding.call(server.agentUrl, 'SendMessage', saying('x'), ask);
    expect(served.result).toBeDefined();
  });

  it('anybody where that is allowed, as nobody in particular', async () => {
    server = await startA2aServer({ anonymous: 'shared' });
    const sent = await binding.call(server.agentUrl, 'SendMessage', saying('x'));
    expect(sent.result).toBeDefined();
    expect(server.messages.received[0]?.request.caller).toBeNull();
    const listed = await binding.call(server.agentUrl, 'ListTasks', {});
    expect(listed.result?.['tasks']).toHaveLength(1);
  });

  it('credentials of another scheme are no token', async () => {
    server = await startA2aServer();
    const headers = { authorization: 'Basic YWxpY2U6eA==' };
    const reply = await binding.call(server.agentUrl, 'SendMessage', saying('x'), { headers });
    expect(reply.status).toBe(401);
  });

  it('the extended card is for whoever has a token, and for that caller alone', async () => {
    server = await startA2aServer();
    const card = async (token?: string) =>
      binding.call(server.agentUrl, 'GetExtendedAgentCard', {}, { token });
    for (const [token, reason] of [
      [undefined, 'TOKEN_MISSING'],
      ['bad', 'TOKEN_INVALID'],
    ] as const) {
      const refused = await card(token);
      expect([refused.status, refused.error?.reason]).toEqual([401, reason]);
      expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer/);
    }
    const [alices, bobs] = [await card('alice'), await card('bob')];
    expect(alices.result).toEqual({ name: 'finance-agent for alice' });
    expect(bobs.result).toEqual({ name: 'finance-agent for bob' });
    const caching = alices.headers.get('cache-control');
    expect(caching).toBe(binding === jsonRpc ? 'no-store' : 'private, no-cache');
  });

  it('nobody once the node drains', async () => {
    server = await startA2aServer();
    server.drain();
    const reply = await binding.call(server.agentUrl, 'SendMessage', saying('x'));
    expect([reply.status, reply.error?.reason]).toEqual([503, 'SHUTTING_DOWN']);
    expect(reply.headers.get('retry-after')).toBe('1');
  });
});
