import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Body, Controller, Get, Module, Param, Post, Put, Query } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Type } from 'class-transformer';
import { IsArray, IsInt, IsObject, IsString, ValidateNested } from 'class-validator';
import { EventStoreUnavailable } from '../../src/event-store/port.js';
import { Public, RequireScope } from '../../src/http/access.js';
import { tokenInvalid, tokenMissing } from '../../src/http/authentication/bearer.js';
import { MaxCharacters } from '../../src/http/dto-checks.js';
import { DtoPipe, IfPresent } from '../../src/http/dto-pipe.js';
import { createEdge } from '../../src/http/edge.js';
import { ProblemFilter } from '../../src/http/problem-filter.js';
import { RejectionException } from '../../src/http/rejection-exception.js';
import { CurrentRequest, type RequestContext } from '../../src/http/request-context.js';
import type { Caller } from '../../src/kernel/caller.js';
import { logOf } from '../support/captured-log.js';
import { eventually } from '../support/eventually.js';
import { rawRequest, sendRaw, type RawAnswer } from '../support/raw-http.js';
import { connectionsOf } from './support/unread.js';

const SECRET = 'SQLITE_CONSTRAINT at /srv/secret.ts';

class Part {
  @IsString()
  readonly name!: string;
}

class ThingBody {
  @IsString()
  @MaxCharacters(10)
  readonly title!: string;

  @IfPresent()
  @IsInt()
  readonly count?: number;

  @IfPresent()
  @IsObject()
  readonly free?: object;

  @IfPresent()
  @ValidateNested()
  @Type(() => Part)
  readonly part?: Part;

  @IfPresent()
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => Part)
  readonly parts?: Part[];
}

class ThingQuery {
  @IfPresent()
  @IsString()
  readonly name?: string;
}

let handled = 0;

@Controller('v1/things')
class ThingsController {
  @Post()
  @RequireScope('agents:write', 'agents:admin')
  create(@Body() body: ThingBody): object {
    handled++;
    return { body };
  }

  @Get()
  @Public()
  find(@Query() query: ThingQuery): object {
    return { query };
  }

  @Get('newest')
  @Public({ readsWrites: true })
  newest(): object {
    return { handled };
  }

  @Get('context')
  context(@CurrentRequest() { caller, ...request }: RequestContext): object {
    return { ...request, principal: caller.principal };
  }

  @Put('context')
  change(@CurrentRequest() { caller, ...request }: RequestContext): object {
    return { ...request, principal: caller.principal };
  }

  @Get('faults/:kind')
  @Public()
  fail(@Param('kind') kind: string): object {
    if (kind === 'store') throw new EventStoreUnavailable(SECRET);
    if (kind === 'refusal') {
      throw new RejectionException({ code: 'contention', detail: 'Try again.' });
    }
    if (kind === 'non-error') throw SECRET as unknown as Error;
    throw new Error(SECRET);
  }
}

@Module({ controllers: [ThingsController] })
class ThingsModule {}

function authenticate(authorization: string | undefined): Caller | Promise<Caller> {
  const [, word] = /^Bearer (\w+)$/.exec(authorization ?? '') ?? [];
  if (word === undefined) throw tokenMissing();
  const scopes = new Set(word === 'reader' ? [] : (['agents:write'] as const));
  const caller: Caller = {
    principal: 'owner',
    client: null,
    agent: null,
    tenant: 'tenant',
    scopes,
    allScopes: scopes,
  };
  return word === 'bad'
    ? Promise.reject(tokenInvalid('The token is bad.'))
    : Promise.resolve(caller);
}

describe('the HTTP edge', () => {
  let app: NestFastifyApplication;
  let url: string;
  let isDraining = false;

  beforeAll(async () => {
    const edge = createEdge({
      publicBaseUrl: 'https://countersign.example',
      authenticate,
      reaches: async (position) => {
        if (position.length > 20) return 'foreign';
        return position < '00000000000000000100' ? 'reached' : 'behind';
      },
      isDraining: () => isDraining,
    });
    app = await NestFactory.create<NestFastifyApplication>(ThingsModule, edge.adapter, {
      logger: false,
      bodyParser: false,
    });
    app.useGlobalFilters(new ProblemFilter(edge.problems));
    app.useGlobalPipes(new DtoPipe());
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
  });

  afterAll(async () => {
    await app.close();
  });

  beforeEach(() => {
    handled = 0;
  });

  async function post(body: string | Buffer, headers: readonly string[] = []): Promise<RawAnswer> {
    const type = headers.some((line) => line.startsWith('content-type'))
      ? []
      : ['content-type: application/json'];
    const lines = ['authorization: Bearer writer', ...type, ...headers];
    return sendRaw(url, rawRequest('POST', '/v1/things', lines, body));
  }

  async function get(path: string, headers: readonly string[] = []): Promise<RawAnswer> {
    return sendRaw(url, rawRequest('GET', path, headers));
  }

  function expectProblem(answer: RawAnswer, status: number, code: string): void {
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
    const problem = JSON.parse(answer.body) as Record<string, unknown>;
    expect([answer.status, problem['status'], problem['code']]).toEqual([status, status, code]);
    expect(problem['type']).toBe(`https://countersign.example/problems/${code}`);
    expect(problem['correlationId']).toBe(answer.headers['x-correlation-id']);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(answer.body).not.toMatch(/secret|SQLITE|FST_|node_modules|\.ts\b|\.js\b|at \//i);
  }

  it('ends a connection on which too many requests wait', async () => {
    const line = 'GET /v1/things HTTP/1.1\r\nhost: x\r\n\r\n';
    const last = rawRequest('GET', '/v1/things', []);
    const answer = await sendRaw(url, Buffer.concat([Buffer.from(line.repeat(40)), last]));
    expect(answer).toEqual({ status: Number.NaN, headers: {}, body: '' });
    const few = await sendRaw(url, Buffer.concat([Buffer.from(line.repeat(4)), last]));
    expect(few.body.match(/HTTP\/1\.1 \d{3} /g)).toHaveLength(4);
  });

  describe('bodies', () => {
    it('reads a body that has one meaning', async () => {
      const answer = await post('{"title":"a","count":1.0,"free":{"constructor":[-0,1.10]}}');
      expect([answer.status, answer.body]).toEqual([
        201,
        '{"body":{"title":"a","count":1,"free":{"constructor":[0,1.1]}}}',
      ]);
    });

    const deep = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    const padded = (bytes: number): string => {
      const start = '{"title":"';
      return `${start}${'x'.repeat(bytes - start.length - 2)}"}`;
    };

    it.each<[string, string | Buffer, number, string]>([
      ['a duplicate member', '{"title":"a","title":"b"}', 400, 'json-duplicate-name'],
      ['a duplicate by escape', '{"title":"a","t\\u0069tle":"b"}', 400, 'json-duplicate-name'],
      ['a deep duplicate', '{"free":{"a":[{"b":1,"b":2}]}}', 400, 'json-duplicate-name'],
      ['a lone surrogate', '{"title":"\\ud83d"}', 400, 'json-lone-surrogate'],
      ['a lone surrogate in a name', '{"\\ud83d":1}', 400, 'json-lone-surrogate'],
      ['a reversed pair', '{"title":"\\ude00\\ud83d"}', 400, 'json-lone-surrogate'],
      ['2^53+1', '{"title":"a","count":9007199254740993}', 400, 'json-inexact-number'],
      ['1E400', '{"title":"a","count":1E400}', 400, 'json-inexact-number'],
      ['__proto__', '{"title":"a","__proto__":{"admin":true}}', 400, 'json-forbidden-name'],
      ['__proto__ by escape', '{"\\u005f_proto__":1}', 400, 'json-forbidden-name'],
      ['65 levels', deep(65), 400, 'json-too-deep'],
      [
        '65 levels below members',
        `{"free":${'{"a":'.repeat(64)}1${'}'.repeat(65)}`,
        400,
        'json-too-deep',
      ],
      ['broken JSON', '{"title":', 400, 'json-syntax'],
      ['a byte order mark', '\ufeff{"title":"a"}', 400, 'json-syntax'],
      ['bytes that are no UTF-8', Buffer.from('7b22ff223a317d', 'hex'), 400, 'json-not-utf8'],
      ['256 KiB and one byte', padded(256 * 1024 + 1), 413, 'json-too-large'],
    ])('refuses %s before any handler runs', async (_name, body, status, code) => {
      expectProblem(await post(body), status, code);
      expect(handled).toBe(0);
    });

    it('takes exactly 256 KiB to the handler, which then judges it', async () => {
      expectProblem(await post(padded(256 * 1024)), 400, 'request-invalid');
    });

    it('points at the ambiguous place', async () => {
      const { body } = await post('{"free":{"a/b":[1,{"c":1,"c":2}]}}');
      expect(JSON.parse(body)).toMatchObject({ errors: [{ pointer: '/free/a~1b/1/c' }] });
    });

    it('refuses a body in chunks as soon as it is too large', async () => {
      const chunk = `8000\r\n${'x'.repeat(0x8000)}\r\n`;
      const head = rawRequest('POST', '/v1/things', [
        'authorization: Bearer writer',
        'content-type: application/json',
        'transfer-encoding: chunked',
      ]);
      const answer = await sendRaw(url, Buffer.concat([head, Buffer.from(chunk.repeat(9))]));
      expectProblem(answer, 413, 'json-too-large');
    });

    it.each([
      ['text/plain'],
      ['application/xml'],
      ['application/x-www-form-urlencoded'],
      ['multipart/form-data; boundary=x'],
      ['application/merge-patch+json'],
      ['application/jsonp'],
      ['application/json; charset=utf-16'],
      ['application/json; charset=utf-8; charset=utf-16'],
      ['nonsense'],
    ])('refuses the media type %s', async (type) => {
      expectProblem(
        await post('{"title":"a"}', [`content-type: ${type}`]),
        415,
        'media-type-unsupported',
      );
      expect(handled).toBe(0);
    });

    it.each([
      ['application/json;charset=UTF-8'],
      ['application/json; charset="utf-8"'],
      ['Application/JSON'],
    ])('takes the media type %s', async (type) => {
      expect((await post('{"title":"a"}', [`content-type: ${type}`])).status).toBe(201);
    });

    it('refuses a body without a media type', async () => {
      const request = rawRequest('POST', '/v1/things', ['authorization: Bearer writer'], '{}');
      expectProblem(await sendRaw(url, request), 415, 'media-type-unsupported');
    });

    it.each([['gzip'], ['deflate'], ['br'], ['identity, gzip']])(
      'refuses the content coding %s unread',
      async (coding) => {
        const answer = await post(gzipSync('{"title":"a"}'), [`content-encoding: ${coding}`]);
        expectProblem(answer, 415, 'media-type-unsupported');
      },
    );

    it('takes no body where one is needed for a fault of the body', async () => {
      expectProblem(await post(''), 400, 'request-invalid');
    });

    it('names all faults of a body at once, each with its place', async () => {
      const { body } = await post(
        '{"title":"much too long","count":"1","extra":1,"part":{"name":1,"x":2},"parts":[{},{"name":"a"},3]}',
      );
      const problem = JSON.parse(body) as { errors: { pointer: string }[] };
      expect(problem.errors.map(({ pointer }) => pointer).sort()).toEqual([
        '/count',
        '/extra',
        '/part/name',
        '/part/x',
        '/parts/0/name',
        '/parts/2',
        '/title',
      ]);
    });

    it.each([
      ['an array for an object', '{"title":"a","part":[{"name":"a"}]}', '/part'],
      ['an object for an array', '{"title":"a","parts":{"0":{"name":"a"}}}', '/parts'],
      ['null for an absent member', '{"title":"a","count":null}', '/count'],
      ['a member called constructor', '{"title":"a","constructor":{}}', '/constructor'],
      ['a member called toString', '{"title":"a","toString":1}', '/toString'],
      ['an array', '[]', ''],
      ['a text', '"title"', ''],
      ['null', 'null', ''],
    ])('does not take %s', async (_name, body, pointer) => {
      const answer = await post(body);
      expectProblem(answer, 400, 'request-invalid');
      const problem = JSON.parse(answer.body) as { errors: { pointer: string }[] };
      expect(problem.errors.map((fault) => fault.pointer)).toEqual([pointer]);
    });
  });

  describe('who may', () => {
    it('asks for a token before it reads a body', async () => {
      const head = rawRequest('POST', '/v1/things', ['content-type: application/json']);
      // The body is announced and never sent: the answer does not wait for it.
      const request = head.toString().replace('\r\n\r\n', '\r\ncontent-length: 1000000\r\n\r\n');
      const answer = await sendRaw(url, request);
      expectProblem(answer, 401, 'token-missing');
      expect(answer.headers['www-authenticate']).toBe('Bearer');
    });

    it('refuses a bad token', async () => {
      const answer = await get('/v1/things/context', ['authorization: Bearer bad']);
      expectProblem(answer, 401, 'token-invalid');
      expect(answer.headers['www-authenticate']).toBe(
        'Bearer error="invalid_token", error_description="The token is bad."',
      );
    });

    it('names the scopes that would do, and does not judge the body', async () => {
      const lines = ['authorization: Bearer reader', 'content-type: application/json'];
      const answer = await sendRaw(url, rawRequest('POST', '/v1/things', lines, '{"a":1,"a":2}'));
      expectProblem(answer, 403, 'scope-missing');
      expect(answer.headers['www-authenticate']).toBe(
        'Bearer error="insufficient_scope", scope="agents:write agents:admin"',
      );
    });

    it('closes a route that says nothing of access', async () => {
      expectProblem(await get('/v1/things/context'), 401, 'token-missing');
      expect((await get('/v1/things/context', ['authorization: Bearer reader'])).status).toBe(200);
    });

    it('applies the same to HEAD', async () => {
      const answer = await sendRaw(url, rawRequest('HEAD', '/v1/things/context', []));
      expect([answer.status, answer.body]).toEqual([401, '']);
    });
  });

  describe('what a handler learns of a request', () => {
    const token = 'authorization: Bearer reader';
    const uuid = '0B8B2C5E-7F0B-4E0E-9C27-0D4B7D2F6C11';

    async function contextOf(
      headers: readonly string[],
      method = 'GET',
    ): Promise<Record<string, unknown>> {
      const request = rawRequest(method, '/v1/things/context', [token, ...headers]);
      const answer = await sendRaw(url, request);
      expect(answer.status).toBe(200);
      const context = JSON.parse(answer.body) as Record<string, unknown>;
      expect(answer.headers['x-correlation-id']).toBe(context['correlationId']);
      return context;
    }

    it.each([
      ['read', 'GET', { idempotencyKey: null, positionToken: '00000000000000000042' }],
      ['write', 'PUT', { idempotencyKey: 'a key', positionToken: null }],
    ])('hands on what is well-formed and for a %s', async (_, method, own) => {
      const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
      const headers = [
        `x-correlation-id: ${uuid}`,
        `traceparent: ${traceparent}`,
        'idempotency-key: a key',
        'if-match: "1.1.proposed.x"',
        'position-token: 00000000000000000042',
      ];
      expect(await contextOf(headers, method)).toEqual({
        principal: 'owner',
        correlationId: uuid.toLowerCase(),
        traceparent,
        ifMatch: '"1.1.proposed.x"',
        ifNoneMatch: null,
        ...own,
      });
    });

    it('makes a correlation id of its own and drops a malformed trace', async () => {
      const context = await contextOf(['x-correlation-id: <script>', 'traceparent: 00-0-0-0']);
      expect(context['correlationId']).toMatch(/^[0-9a-f-]{36}$/);
      expect(context['traceparent']).toBeNull();
    });

    it.each([
      ['PUT', 'idempotency-key', 'é', 'idempotency-key-invalid'],
      ['PUT', 'idempotency-key', 'x'.repeat(256), 'idempotency-key-invalid'],
      ['GET', 'position-token', '7', 'position-invalid'],
      ['GET', 'position-token', '-0000000000000000001', 'position-invalid'],
      ['GET', 'position-token', '1'.repeat(30), 'position-invalid'],
      ['GET', 'position-token', '0'.repeat(40), 'position-invalid'],
    ])('refuses for a %s %s: %s', async (method, name, value, code) => {
      const request = rawRequest(method, '/v1/things/context', [token, `${name}: ${value}`]);
      expectProblem(await sendRaw(url, request), 400, code);
    });
  });

  describe('a position token', () => {
    it.each(['x', '09999999999999999999', '0'.repeat(40)])(
      'is passed over where nobody is asked who calls, and by writes: %s',
      async (position) => {
        const header = `position-token: ${position}`;
        for (const method of ['GET', 'HEAD']) {
          const answer = await sendRaw(url, rawRequest(method, '/v1/things', [header]));
          expect(answer.status).toBe(200);
        }
        expectProblem(await get('/v1/nothing', [header]), 404, 'not-found');
        expect((await post('{"title":"x"}', [header])).status).toBe(201);
      },
    );

    it('is waited for by a public read that promises it', async () => {
      const ask = (position: string): Promise<RawAnswer> =>
        get('/v1/things/newest', [`position-token: ${position}`]);
      expect((await ask('00000000000000000042')).status).toBe(200);
      expectProblem(await ask('x'), 400, 'position-invalid');
      expectProblem(await ask('09999999999999999999'), 503, 'projection-behind');
    });
  });

  describe('addresses', () => {
    it('answers an unknown address with a problem', async () => {
      expectProblem(await get('/v1/nothing'), 404, 'not-found');
      expectProblem(await get('/v1/things/'), 404, 'not-found');
      expectProblem(await get('/'), 404, 'not-found');
    });

    it.each([
      ['DELETE', '/v1/things', 'GET, HEAD, POST'],
      ['OPTIONS', '/v1/things', 'GET, HEAD, POST'],
      ['POST', '/v1/things/context', 'GET, HEAD, PUT'],
      ['PUT', '/v1/things/faults/x?y=z', 'GET, HEAD'],
    ])('says which methods do instead of %s %s', async (method, target, allow) => {
      const answer = await sendRaw(url, rawRequest(method, target, []));
      expectProblem(answer, 405, 'method-not-allowed');
      expect(answer.headers['allow']).toBe(allow);
    });

    it('answers an address that cannot be decoded', async () => {
      expectProblem(await get('/v1/things/%zz'), 400, 'http-malformed');
      expectProblem(await get('/v1/things/faults/%ff'), 400, 'http-malformed');
    });

    it('does not look for an endless id', async () => {
      expectProblem(await get(`/v1/things/faults/${'x'.repeat(600)}`), 404, 'not-found');
    });

    it('refuses query parameters that are not documented', async () => {
      const answer = await get('/v1/things?nam=x&__proto__=y&name=z');
      expectProblem(answer, 400, 'request-invalid');
      const problem = JSON.parse(answer.body) as { errors: { pointer: string }[] };
      expect(problem.errors.map(({ pointer }) => pointer)).toEqual(['/nam', '/__proto__']);
      expectProblem(await get('/v1/things?name=a&name=b'), 400, 'request-invalid');
    });

    it('does not repeat the query in a problem', async () => {
      const { body } = await get('/v1/nothing?token=hidden');
      expect(JSON.parse(body)).toMatchObject({ instance: '/v1/nothing' });
    });
  });

  describe('bytes that are no request', () => {
    it.each([
      ['rubbish', 'hello\r\n\r\n', 400, 'http-malformed'],
      [
        'two lengths',
        'POST / HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
        400,
        'http-malformed',
      ],
      [
        'a length and chunks',
        'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n',
        400,
        'http-malformed',
      ],
      [
        'header fields of 20 KiB',
        `GET / HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
        431,
        'headers-too-large',
      ],
    ])('answers %s with a problem and closes', async (_name, bytes, status, code) => {
      expectProblem(await sendRaw(url, bytes), status, code);
    });
  });

  describe('what node would refuse by itself', () => {
    const first = (line: string): string => `${line} HTTP/1.1\r\nconnection: close\r\n`;

    it.each([
      ['no host', `${first('GET /v1/things')}\r\n`],
      ['two hosts', `${first('GET /v1/things')}host: a\r\nHOST: a\r\n\r\n`],
      ['no host, at an unknown address', `${first('GET /v1/nothing')}\r\n`],
      ['no host, nor a token', `${first('GET /v1/things/context')}\r\n`],
      ['an expectation', `${first('POST /v1/things')}host: a\r\nexpect: foo\r\n\r\n`],
      [
        'an expectation of 200',
        `${first('POST /v1/things')}host: a\r\nexpect: 200-ok\r\ncontent-length: 1\r\n\r\nx`,
      ],
    ])('is answered with a problem: %s', async (_name, request) => {
      expectProblem(await sendRaw(url, request), 400, 'http-malformed');
      expect(handled).toBe(0);
    });

    it.each([
      ['HTTP/1.0 without a host', 'GET /v1/things HTTP/1.0\r\n\r\n', 200],
      [
        'HTTP/1.0 with an expectation, which it does not know',
        'GET /v1/things HTTP/1.0\r\nexpect: foo\r\n\r\n',
        200,
      ],
      [
        'what goes on when it is told to',
        `${first('GET /v1/things')}host: a\r\nexpect: 100-Continue\r\n\r\n`,
        100,
      ],
      [
        'another protocol that is offered (RFC 9110 section 7.8)',
        'GET /v1/things HTTP/1.1\r\nhost: a\r\nconnection: upgrade, close\r\nupgrade: websocket\r\n\r\n',
        200,
      ],
    ])('does not refuse %s', async (_name, request, status) => {
      const answer = await sendRaw(url, request);
      expect([answer.status, `${JSON.stringify(answer.headers)}${answer.body}`]).toEqual([
        status,
        expect.stringContaining('{"query":{}}'),
      ]);
    });

    const TUNNEL = 'CONNECT other:443 HTTP/1.1\r\nhost: other:443\r\n\r\n';

    it('opens no tunnel', async () => {
      const answer = await sendRaw(url, TUNNEL);
      expectProblem(answer, 405, 'method-not-allowed');
      expect(answer.headers).toMatchObject({ allow: '', connection: 'close' });
    });

    it.each([TUNNEL, 'hello\r\n\r\n'])(
      'keeps no connection whose client does not end it: %j',
      async (bytes) => {
        const { hostname, port } = new URL(url);
        const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
        socket.on('error', () => undefined);
        socket.resume();
        socket.write(bytes);
        await once(socket, 'end');
        const fastify = app.getHttpAdapter().getInstance();
        await eventually(async () => (await connectionsOf(fastify)) === 0);
        socket.destroy();
      },
    );
  });

  describe('faults of the service', () => {
    it.each([
      ['error', 500, 'internal-error'],
      ['non-error', 500, 'internal-error'],
      ['store', 503, 'store-unavailable'],
    ])('tells nothing about a fault (%s) but where to look', async (kind, status, code) => {
      let id = '';
      const lines = await logOf(async () => {
        const answer = await get(`/v1/things/faults/${kind}`);
        expectProblem(answer, status, code);
        id = answer.headers['x-correlation-id'] ?? '';
      });
      const logged = lines.find((line) => line.includes(id));
      expect(logged).toContain(SECRET);
      expect(logged?.trim().split('\n')).toHaveLength(1);
    });

    it('says when a refusal is worth another try', async () => {
      const answer = await get('/v1/things/faults/refusal');
      expectProblem(answer, 503, 'contention');
      expect(answer.headers['retry-after']).toBe('1');
      expect(JSON.parse(answer.body)).toMatchObject({ detail: 'Try again.' });
    });

    it('turns requests away while it shuts down', async () => {
      isDraining = true;
      const answer = await get('/v1/things').finally(() => {
        isDraining = false;
      });
      expectProblem(answer, 503, 'shutting-down');
      expect(answer.headers['connection']).toBe('close');
    });
  });
});
