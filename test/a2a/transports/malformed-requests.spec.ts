import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../src/kernel/json.js';
import { logOf } from '../../support/captured-log.js';
import { rawRequest, sendRaw, type RawAnswer } from '../../support/raw-http.js';
import { AGENT, startA2aServer, type A2aTestServer } from './support/a2a-server.js';
import { saying } from './support/bindings.js';

const LINES = ['content-type: application/json', 'a2a-version: 1.0'];
const LIMIT = 4 * 1024 * 1024;
const RPC = { jsonrpc: '2.0', id: 7, method: 'SendMessage' };
const TEXT = '{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}';

describe('malformed requests', () => {
  let server: A2aTestServer;

  beforeAll(async () => {
    server = await startA2aServer();
  });

  afterAll(async () => {
    await server.close();
  });

  async function post(
    path: string,
    body: string | Buffer,
    lines: readonly string[] = LINES,
  ): Promise<RawAnswer> {
    return sendRaw(server.url, rawRequest('POST', `/a2a/${AGENT}${path}`, lines, body));
  }

  function errorOf(answer: RawAnswer): JsonObject {
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.body).not.toMatch(/secret|SQLITE|FST_|node_modules|\.ts\b|\.js\b|at \//i);
    return (JSON.parse(answer.body) as JsonObject)['error'] as JsonObject;
  }

  /** JSON-RPC's id and code, the reason, the HTTP status. */
  function rpcError(answer: RawAnswer): readonly unknown[] {
    const { code, data } = errorOf(answer);
    const { id, jsonrpc } = JSON.parse(answer.body) as JsonObject;
    expect(jsonrpc).toBe('2.0');
    return [id, code, (data as JsonObject[])[0]?.['reason'], answer.status];
  }

  /** The status twice and by name, and the reason. */
  function httpError(answer: RawAnswer): readonly unknown[] {
    const { code, status, details } = errorOf(answer);
    return [answer.status, code, status, (details as JsonObject[])[0]?.['reason']];
  }

  describe('as JSON-RPC', () => {
    it.each([
      ['nothing', '', null, -32700, 'PARSE_ERROR'],
      ['no JSON', '{"jsonrpc":', null, -32700, 'JSON_SYNTAX'],
      ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), null, -32700, 'JSON_NOT_UTF8'],
      ['a duplicate name', '{"id":1,"i\\u0064":2}', null, -32600, 'JSON_DUPLICATE_NAME'],
      ['__proto__', '{"__proto__":1}', null, -32600, 'JSON_FORBIDDEN_NAME'],
      ['half a surrogate pair', '{"id":"\\ud83d"}', null, -32600, 'JSON_LONE_SURROGATE'],
      ['too many values', `[${'0,'.repeat(50_000)}0]`, null, -32600, 'JSON_TOO_MANY_VALUES'],
      ['an inexact number', '{"id":9007199254740993}', null, -32600, 'JSON_INEXACT_NUMBER'],
      ['depth', `${'['.repeat(65)}${']'.repeat(65)}`, null, -32600, 'JSON_TOO_DEEP'],
      ['a batch', `[${JSON.stringify(RPC)}]`, null, -32600, 'INVALID_REQUEST'],
      ['an empty batch', '[]', null, -32600, 'INVALID_REQUEST'],
      ['a text', '"SendMessage"', null, -32600, 'INVALID_REQUEST'],
      ['null', 'null', null, -32600, 'INVALID_REQUEST'],
      ['no version', JSON.stringify({ ...RPC, jsonrpc: undefined }), 7, -32600, 'INVALID_REQUEST'],
      ['version 2', JSON.stringify({ ...RPC, jsonrpc: 2 }), 7, -32600, 'INVALID_REQUEST'],
      [
        'a notification',
        JSON.stringify({ ...RPC, id: undefined }),
        null,
        -32600,
        'INVALID_REQUEST',
      ],
      ['an id of parts', JSON.stringify({ ...RPC, id: { a: 1 } }), null, -32600, 'INVALID_REQUEST'],
      ['a fraction as id', JSON.stringify({ ...RPC, id: 1.5 }), null, -32600, 'INVALID_REQUEST'],
      [
        'a long id',
        JSON.stringify({ ...RPC, id: 'x'.repeat(256) }),
        null,
        -32600,
        'INVALID_REQUEST',
      ],
      ['no method', JSON.stringify({ ...RPC, method: undefined }), 7, -32600, 'INVALID_REQUEST'],
      ['params by position', JSON.stringify({ ...RPC, params: [1] }), 7, -32600, 'INVALID_REQUEST'],
      [
        'another method',
        JSON.stringify({ ...RPC, method: 'message/send' }),
        7,
        -32601,
        'METHOD_NOT_FOUND',
      ],
      [
        'an inherited name',
        JSON.stringify({ ...RPC, method: 'constructor' }),
        7,
        -32601,
        'METHOD_NOT_FOUND',
      ],
      ['no params', JSON.stringify(RPC), 7, -32602, 'INVALID_PARAMS'],
    ])('%s', async (_, body, id, code, reason) => {
      expect(rpcError(await post('', body))).toEqual([id, code, reason, 200]);
    });

    it('echoes any id that JSON-RPC allows', async () => {
      for (const id of [0, -1, 2 ** 53 - 1, '', 'é', null]) {
        const answer = await post('', JSON.stringify({ ...RPC, id, params: saying('x') }));
        expect(JSON.parse(answer.body)).toMatchObject({ id, result: { task: {} } });
      }
    });

    it('ignores members that it does not know', async () => {
      const message = { ...JSON.parse(TEXT), extra: 1, kind: 'message' } as JsonObject;
      const sent = { ...RPC, extra: 1, params: { message, extra: {} } };
      expect(JSON.parse((await post('', JSON.stringify(sent))).body)).toHaveProperty('result');
      expect(server.messages.received.at(-1)?.params).toEqual({ message: JSON.parse(TEXT) });
    });

    it('says where params are wrong', async () => {
      const params = { message: { parts: [{}], role: 'ROLE_AGENT' } };
      const answer = await post('', JSON.stringify({ ...RPC, params }));
      expect((errorOf(answer)['data'] as JsonObject[])[1]).toEqual({
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations: [
          {
            field: '/message/parts/0',
            description: 'must have exactly one of text, raw, url and data',
          },
          { field: '/message/messageId', description: 'is missing or empty' },
        ],
      });
    });

    it('another media type', async () => {
      const answer = await post('', JSON.stringify(RPC), [
        'content-type: text/plain',
        ...LINES.slice(1),
      ]);
      expect(rpcError(answer)).toEqual([null, -32005, 'CONTENT_TYPE_NOT_SUPPORTED', 415]);
    });

    it('another charset', async () => {
      const lines = ['content-type: application/json; charset=latin1', ...LINES.slice(1)];
      const answer = await post('', JSON.stringify(RPC), lines);
      expect(rpcError(answer)).toEqual([null, -32005, 'CONTENT_TYPE_NOT_SUPPORTED', 415]);
    });

    it('a compressed body', async () => {
      const answer = await post('', gzipSync(JSON.stringify(RPC)), [
        ...LINES,
        'content-encoding: gzip',
      ]);
      expect(rpcError(answer)).toEqual([null, -32005, 'CONTENT_TYPE_NOT_SUPPORTED', 415]);
    });

    it('up to 4 MiB, and no more', async () => {
      const params = { message: { ...JSON.parse(TEXT), parts: [{ text: '' }] } as JsonObject };
      const empty = JSON.stringify({ ...RPC, params });
      const text = 'x'.repeat(LIMIT - empty.length);
      const largest = empty.replace('"text":""', `"text":"${text}"`);
      expect((await post('', largest)).status).toBe(200);
      const tooLarge = await post('', '', [...LINES, `content-length: ${String(LIMIT + 1)}`]);
      expect(rpcError(tooLarge)).toEqual([null, -32000, 'JSON_TOO_LARGE', 413]);
    });

    it('a fault is logged, and nothing of it told', async () => {
      const log = await logOf(async () => {
        const answer = await post('', JSON.stringify({ ...RPC, params: saying('fault') }));
        expect(rpcError(answer)).toEqual([7, -32603, 'INTERNAL_ERROR', 500]);
        expect(answer.body).toContain(answer.headers['x-correlation-id']);
      });
      expect(log.join('')).toContain('SQLITE_CONSTRAINT');
    });

    it('an agent that is not here', async () => {
      const lines = rawRequest('POST', '/a2a/nobody', LINES, JSON.stringify(RPC));
      expect(rpcError(await sendRaw(server.url, lines))).toEqual([7, -32000, 'NOT_FOUND', 404]);
    });

    it('another tenant than the agent', async () => {
      for (const tenant of [AGENT, '']) {
        const params = { ...saying('x'), tenant };
        const answer = await post('', JSON.stringify({ ...RPC, params }));
        expect(JSON.parse(answer.body)).toHaveProperty('result');
      }
      const params = { ...saying('x'), tenant: 'other-agent' };
      const answer = await post('', JSON.stringify({ ...RPC, params }));
      expect(rpcError(answer)).toEqual([7, -32602, 'INVALID_PARAMS', 200]);
      expect(answer.body).toContain('"field":"/tenant"');
    });
  });

  describe('as HTTP+JSON', () => {
    it.each([
      ['nothing', '', 'INVALID_PARAMS'],
      ['no JSON', '{"message":', 'JSON_SYNTAX'],
      ['a duplicate name', '{"message":1,"message":2}', 'JSON_DUPLICATE_NAME'],
      ['a list', '[]', 'INVALID_PARAMS'],
      ['no message', '{}', 'INVALID_PARAMS'],
      ['no parts', TEXT.replace(/\[.*\]/, '[]'), 'INVALID_PARAMS'],
    ])('%s', async (_, body, reason) => {
      const answer = await post('/message:send', body);
      expect(httpError(answer)).toEqual([400, 400, 'INVALID_ARGUMENT', reason]);
    });

    it('another media type', async () => {
      const answer = await post('/message:send', '{}', [
        'content-type: text/plain',
        'a2a-version: 1.0',
      ]);
      const expected = [400, 400, 'INVALID_ARGUMENT', 'CONTENT_TYPE_NOT_SUPPORTED'];
      expect(httpError(answer)).toEqual(expected);
    });

    it("A2A's own media type, in and out", async () => {
      const lines = ['content-type: application/a2a+json', 'a2a-version: 1.0'];
      const answer = await post('/message:send', `{"message":${TEXT}}`, lines);
      expect([answer.status, answer.headers['content-type']]).toEqual([
        200,
        'application/a2a+json; charset=utf-8',
      ]);
      const plain = await post('/message:send', `{"message":${TEXT}}`, [
        ...lines,
        'accept: application/json',
      ]);
      expect(plain.headers['content-type']).toBe('application/json; charset=utf-8');
    });

    it('too much', async () => {
      const lines = [...LINES, `content-length: ${String(LIMIT + 1)}`];
      const answer = await post('/message:send', '', lines);
      expect(httpError(answer)).toEqual([413, 413, 'INVALID_ARGUMENT', 'JSON_TOO_LARGE']);
    });

    it.each([
      ['GET', '', 405, 'METHOD_NOT_ALLOWED', 'POST'],
      ['GET', '/message:send', 405, 'METHOD_NOT_ALLOWED', 'POST'],
      ['PUT', '/tasks', 405, 'METHOD_NOT_ALLOWED', 'GET'],
      ['GET', '/nothing', 404, 'NOT_FOUND', undefined],
      ['POST', '/tasks/x:explode', 404, 'METHOD_NOT_FOUND', undefined],
      ['POST', '/tasks/x', 404, 'METHOD_NOT_FOUND', undefined],
      ['GET', '/tasks/x:cancel', 404, 'METHOD_NOT_FOUND', undefined],
      ['GET', '/other-agent/tasks', 400, 'INVALID_PARAMS', undefined],
      ['GET', '/tasks/', 400, 'INVALID_PARAMS', undefined],
      ['HEAD', '/tasks/x:subscribe', 405, undefined, 'GET, POST'],
    ])('%s %s is %i', async (method, path, status, reason, allow) => {
      const target = `/a2a/${AGENT}${path}`;
      const answer = await sendRaw(server.url, rawRequest(method, target, ['a2a-version: 1.0']));
      expect([answer.status, answer.headers['allow']]).toEqual([status, allow]);
      if (method !== 'HEAD') expect(httpError(answer)[3]).toBe(reason);
    });

    it.each([
      ['pageSize=0', '/pageSize'],
      ['pageSize=101', '/pageSize'],
      ['pageSize=1e1', '/pageSize'],
      ['page_size=abc', '/page_size'],
      ['pageSize=1&pageSize=2', '/pageSize'],
      ['pageSize=1&page_size=1', '/page_size'],
      ['historyLength=-1', '/historyLength'],
      ['includeArtifacts=yes', '/includeArtifacts'],
      ['status=working', '/status'],
      ['statusTimestampAfter=yesterday', '/statusTimestampAfter'],
      ['tenant=other-agent', '/tenant'],
    ])('a query of %s', async (query, field) => {
      const target = `/a2a/${AGENT}/tasks?${query}`;
      const answer = await sendRaw(server.url, rawRequest('GET', target, ['a2a-version: 1.0']));
      expect(httpError(answer)).toEqual([400, 400, 'INVALID_ARGUMENT', 'INVALID_PARAMS']);
      expect(answer.body).toContain(`"field":"${field}"`);
    });

    it('a body that contradicts its address', async () => {
      const config = { url: 'https://hooks.example.com/', task_id: 'b' };
      const answer = await post('/tasks/a/pushNotificationConfigs', JSON.stringify(config));
      expect(httpError(answer)[3]).toBe('INVALID_PARAMS');
      expect(answer.body).toContain('"field":"/task_id"');
      const same = { ...config, task_id: 'a' };
      const served = await post('/tasks/a/pushNotificationConfigs', JSON.stringify(same));
      expect(httpError(served)[3]).toBe('TASK_NOT_FOUND');
    });

    it('an agent that is not here', async () => {
      const lines = rawRequest('GET', '/a2a/nobody/tasks', ['a2a-version: 1.0']);
      const expected = [404, 404, 'NOT_FOUND', 'NOT_FOUND'];
      expect(httpError(await sendRaw(server.url, lines))).toEqual(expected);
    });
  });

  it('knows its own addresses', () => {
    const below = server.routes.filter(({ url }) => /^\/a2a\/:agent\/(?!\.)/.test(url));
    expect(server.routes).toContainEqual({ method: 'POST', url: '/a2a/:agent' });
    expect(below).toContainEqual({ method: 'POST', url: '/a2a/:agent/message::send' });
    expect(below).toHaveLength(20);
  });

  it('leaves those of controllers alone', async () => {
    const card = `/a2a/${AGENT}/.well-known/agent-card.json`;
    expect((await sendRaw(server.url, rawRequest('GET', card, []))).body).toBe('{"name":"public"}');
    const posted = await sendRaw(server.url, rawRequest('POST', card, []));
    expect([posted.status, posted.headers['allow']]).toEqual([405, 'GET, HEAD']);
  });
});
