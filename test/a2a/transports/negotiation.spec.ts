import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OperationName } from '../../../src/a2a/transports/operations.js';
import type { JsonObject } from '../../../src/kernel/json.js';
import { logOf } from '../../support/captured-log.js';
import { rawRequest, sendRaw } from '../../support/raw-http.js';
import { AGENT, EXTENSION, startA2aServer, type A2aTestServer } from './support/a2a-server.js';
import { BINDINGS, jsonRpc, saying } from './support/bindings.js';

const OPERATIONS: readonly (readonly [OperationName, JsonObject])[] = [
  ['SendMessage', saying('x')],
  ['SendStreamingMessage', saying('x')],
  ['GetTask', { id: 'x' }],
  ['ListTasks', {}],
  ['CancelTask', { id: 'x' }],
  ['SubscribeToTask', { id: 'x' }],
  ['CreateTaskPushNotificationConfig', { taskId: 'x', url: 'https://hooks.example/' }],
  ['GetTaskPushNotificationConfig', { taskId: 'x', id: 'c' }],
  ['ListTaskPushNotificationConfigs', { taskId: 'x' }],
  ['DeleteTaskPushNotificationConfig', { taskId: 'x', id: 'c' }],
  ['GetExtendedAgentCard', {}],
];

describe.each(BINDINGS)('negotiation over $name', (binding) => {
  let server: A2aTestServer;
  let demanding: A2aTestServer;
  /** Nothing ever reaches the messages of the other one. */
  let demandingOthers: A2aTestServer;

  beforeAll(async () => {
    server = await startA2aServer();
    demanding = await startA2aServer({ requiredExtensions: [EXTENSION] });
    demandingOthers = await startA2aServer({ requiredExtensions: [EXTENSION] });
  });

  afterAll(async () => {
    await Promise.all([server.close(), demanding.close(), demandingOthers.close()]);
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

    it.each(OPERATIONS)('refuses %s without a required one', async (operation, params) => {
      for (const asked of [undefined, '', `${EXTENSION}/`, EXTENSION.toUpperCase(), 'urn:x']) {
        const headers: Record<string, string> =
          asked === undefined ? {} : { 'a2a-extensions': asked };
        const refused = await binding.call(demanding.agentUrl, operation, params, { headers });
        expect(refused.error).toMatchObject({
          reason: 'EXTENSION_SUPPORT_REQUIRED',
          domain: 'a2a-protocol.org',
          metadata: { missing: EXTENSION },
          code: binding === jsonRpc ? -32008 : 'FAILED_PRECONDITION',
        });
        expect(refused.status).toBe(binding === jsonRpc ? 200 : 400);
        expect(refused.headers.has('a2a-extensions')).toBe(false);
      }
      expect(demanding.messages.received).toHaveLength(0);
    });

    it.each(OPERATIONS)('names a required one in the answer to %s', async (operation, params) => {
      const ask = { token: 'alice', headers: { 'a2a-extensions': EXTENSION } };
      const reply = await binding.call(demandingOthers.agentUrl, operation, params, ask);
      expect(reply.headers.get('a2a-extensions')).toBe(EXTENSION);
      expect(reply.error?.reason).not.toBe('EXTENSION_SUPPORT_REQUIRED');
    });

    it('serves with a required one', async () => {
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

  it.each([
    ['no JSON', '{"jsonrpc":', -32700],
    ['no body', '', -32700],
    ['a duplicate name', '{"id":1,"id":2}', -32600],
    ['a batch', '[]', -32600],
    ['no method', '{"jsonrpc":"2.0","id":1}', -32600],
    ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"x"}', -32601],
    ['no params', '{"jsonrpc":"2.0","id":1,"method":"SendMessage"}', -32602],
  ])('names the extensions in the answer to %s', async (_, body, code) => {
    const lines = ['content-type: application/json', 'a2a-version: 1.0'];
    const request = rawRequest(
      'POST',
      `/a2a/${AGENT}`,
      [...lines, `a2a-extensions: ${EXTENSION}`],
      body,
    );
    const answer = await sendRaw(server.url, request);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code } });
    expect(answer.headers['a2a-extensions']).toBe(EXTENSION);
    const plain = await sendRaw(server.url, rawRequest('POST', `/a2a/${AGENT}`, lines, body));
    expect(plain.headers).not.toHaveProperty('a2a-extensions');
  });

  it.each([
    ['POST', '/message:send', '{"message":', 400],
    ['POST', '/tasks/x:nothing', '{}', 404],
  ])('names the extensions in the answer to %s %s', async (method, path, body, status) => {
    const lines = ['content-type: application/json', 'a2a-version: 1.0'];
    const request = rawRequest(
      method,
      `/a2a/${AGENT}${path}`,
      [...lines, `a2a-extensions: ${EXTENSION}`],
      body,
    );
    const answer = await sendRaw(server.url, request);
    expect(answer.status).toBe(status);
    expect(answer.headers['a2a-extensions']).toBe(EXTENSION);
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
