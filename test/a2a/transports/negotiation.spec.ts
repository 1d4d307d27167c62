import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { logOf } from '../../support/captured-log.js';
import { rawRequest, sendRaw } from '../../support/raw-http.js';
import { AGENT, EXTENSION, startA2aServer, type A2aTestServer } from './support/a2a-server.js';
import { BINDINGS, jsonRpc, saying } from './support/bindings.js';

describe.each(BINDINGS)('negotiation over $name', (binding) => {
  let server: A2aTestServer;
  let demanding: A2aTestServer;

  beforeAll(async () => {
    server = await startA2aServer();
    demanding = await startA2aServer({ requiredExtensions: [EXTENSION] });
  });

  afterAll(async () => {
    await Promise.all([server.close(), demanding.close()]);
  });

  describe('of the version', () => {
    it.each(['1.0', '1.0.0', '1.0.1'])('%s is served', async (version) => {
      const headers = { 'a2a-version': version };
      const reply = await binding.call(server.agentUrl, 'SendMessage', saying('x'), { headers });
      expect(reply.result).toBeDefined();
    });

    it.each(['', '0.3', '9.9', 'abc', '1', '1.0, 1.0'])(
      '"%s" is refused before anything is done',
      async (version) => {
        const before = server.messages.received.length;
        const headers = { 'a2a-version': version };
        const reply = await binding.call(server.agentUrl, 'SendMessage', saying('x'), { headers });
        expect(reply.error).toMatchObject({
          reason: 'VERSION_NOT_SUPPORTED',
          domain: 'a2a-protocol.org',
          code: binding === jsonRpc ? -32009 : 'UNIMPLEMENTED',
        });
        expect(reply.status).toBe(binding === jsonRpc ? 200 : 400);
        expect(server.messages.received).toHaveLength(before);
      },
    );
  });

  describe('of extensions', () => {
    it.each([
      ['none', {}, null],
      ['an empty list', { 'a2a-extensions': '' }, null],
      ['ours', { 'a2a-extensions': EXTENSION }, EXTENSION],
      ['ours twice', { 'a2a-extensions': `${EXTENSION}, ${EXTENSION}` }, EXTENSION],
      ['ours among others', { 'a2a-extensions': ` urn:x , ${EXTENSION}` }, EXTENSION],
      ['the old header', { 'x-a2a-extensions': EXTENSION }, null],
      ['a trailing slash', { 'a2a-extensions': `${EXTENSION}/` }, null],
      ['another version', { 'a2a-extensions': EXTENSION.replace('v1', 'v2') }, null],
      ['10 kB of others', { 'a2a-extensions': 'urn:x,'.repeat(1700) }, null],
    ])('%s: named on success, error and stream', async (_, headers, activated) => {
      const call = async (operation: 'SendMessage' | 'SendStreamingMessage', text: string) =>
        (await binding.call(server.agentUrl, operation, saying(text), { headers })).headers.get(
          'a2a-extensions',
        );
      expect(await call('SendMessage', 'x')).toBe(activated);
      expect(await call('SendMessage', 'refuse')).toBe(activated);
      await logOf(async () => {
        expect(await call('SendMessage', 'fault')).toBe(activated);
      });
      expect(await call('SendStreamingMessage', 'x')).toBe(activated);
      const seen = server.messages.received.at(-1)?.request.extensions;
      expect([...(seen ?? [])]).toEqual(activated === null ? [] : [activated]);
    });

    it('refuses without a required one, before anything is done', async () => {
      const refused = await binding.call(demanding.agentUrl, 'SendMessage', saying('x'));
      expect(refused.error).toMatchObject({
        reason: 'EXTENSION_SUPPORT_REQUIRED',
        metadata: { missing: EXTENSION },
        code: binding === jsonRpc ? -32008 : 'FAILED_PRECONDITION',
      });
      expect(demanding.messages.received).toHaveLength(0);
      const headers = { 'a2a-extensions': EXTENSION };
      const served = await binding.call(demanding.agentUrl, 'GetTask', { id: 'x' }, { headers });
      expect(served.error?.reason).toBe('TASK_NOT_FOUND');
    });
  });
});

describe('negotiation in raw requests', () => {
  let server: A2aTestServer;

  beforeAll(async () => {
    server = await startA2aServer();
  });

  afterAll(async () => {
    await server.close();
  });

  it('merges two header lines', async () => {
    const lines = ['a2a-version: 1.0', 'a2a-extensions: urn:x', `a2a-extensions: ${EXTENSION}`];
    const answer = await sendRaw(server.url, rawRequest('GET', `/a2a/${AGENT}/tasks`, lines));
    expect(answer.headers['a2a-extensions']).toBe(EXTENSION);
  });

  it.each([
    ['?A2A-Version=1.0', 200],
    ['?A2A-Version=0.3', 400],
    ['?A2A-Version=1.0&A2A-Version=0.3', 400],
    ['?a2a-version=1.0', 400],
    ['', 400],
  ])('takes the version from the query "%s"', async (query, status) => {
    const answer = await sendRaw(server.url, rawRequest('GET', `/a2a/${AGENT}/tasks${query}`, []));
    expect(answer.status).toBe(status);
  });
});
