import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { BackendBinding } from '../../../src/config/hosted-agents.js';
import { BackendTokens } from '../../../src/invocations/backends/backend-tokens.js';
import { exchangeOf } from '../../../src/invocations/backends/exchange-of.js';
import { RemoteBackend } from '../../../src/invocations/backends/remote-backend.js';
import type { BackendCall } from '../../../src/invocations/commands/backends.js';
import type { Json, JsonObject } from '../../../src/kernel/json.js';
import { backendCall, binding, caller } from './support/calls.js';
import { answer, completedTask, SampleBackend, type Reply } from './support/sample-backend.js';
import { TokenKeys } from './support/token-keys.js';

let keys: TokenKeys;
let sample: SampleBackend;

beforeAll(async () => {
  keys = await TokenKeys.open('backend-token');
});

afterAll(() => keys.dispose());

beforeEach(async () => {
  sample = await SampleBackend.start(() => keys.jwks());
});

afterEach(() => sample.stop());

type Kind = BackendBinding['kind'];

async function backend(
  kind: Kind,
  changes: Partial<BackendBinding> = {},
  tokens = keys.tokens(),
): Promise<RemoteBackend> {
  const tool = kind === 'mcp' ? 'reconcile' : null;
  const bound = binding(sample.url(`/${kind}`), { kind, tool, ...changes });
  return new RemoteBackend(bound, await exchangeOf(bound), tokens, Date.now, () => 0.5);
}

/** The output, or `kind: detail` of the failure. */
async function outcome(of: RemoteBackend, call: BackendCall = backendCall()): Promise<Json> {
  const result = await of.invoke(call);
  return result.ok ? result.value : `${result.error.kind}: ${result.error.detail}`;
}

/** How often the sample was asked to do it. */
function asked(): number {
  const isCall = ({ body }: { readonly body: JsonObject }): boolean =>
    body['method'] === undefined || /^(SendMessage|tools\/call)$/.test(String(body['method']));
  return sample.received.filter(isCall).length;
}

const replying =
  (status: number, headers: Readonly<Record<string, string>> = {}, body: Json = {}): Reply =>
  (_, response) => {
    answer(response, status, body, headers);
  };

const KINDS: readonly Kind[] = ['http', 'a2a', 'mcp'];

describe.each(KINDS)('a backend over %s', (kind) => {
  it('verifies the token with the published keys, and answers for whom it was called', async () => {
    const args = { invoice: 'INV-1', lines: [1, 2], note: null };
    expect(await outcome(await backend(kind), backendCall({ arguments: args }))).toEqual({
      for: 'buyer',
      arguments: args,
    });
    expect(sample.refused).toBe(0);
    for (const { headers } of sample.received) {
      expect(headers['traceparent']).toBe(backendCall().traceparent);
      expect(headers.authorization).toMatch(/^Bearer ey/);
    }
  });

  it('never gets the token of another call, however many run at once', async () => {
    const one = await backend(kind);
    sample.delay = () => pause(Math.random() * 30);
    const callers = Array.from({ length: 20 }, (_, index) => `caller-${index}`);
    const outcomes = await Promise.all(
      callers.map((principal) =>
        outcome(
          one,
          backendCall({ caller: caller(principal), arguments: { principal }, terms: null }),
        ),
      ),
    );
    expect(outcomes).toEqual(
      callers.map((principal) => ({ for: principal, arguments: { principal } })),
    );
    expect(sample.refused).toBe(0);
    const issued = new Set(sample.received.map(({ claims }) => claims.jti));
    expect(issued.size).toBe(20);
  });

  it('refuses a token that is for somebody else', async () => {
    const one = await backend(kind, { audience: 'https://another.example' });
    expect(await outcome(one)).toBe('failed: the backend answered 401');
    expect(sample.refused).toBeGreaterThan(0);
  });

  it('that gives no answer is told from one that was never asked', async () => {
    const breaking: Reply = (request) => void request.socket.destroy();
    sample.replies.push(breaking, () => undefined);
    const one = await backend(kind, { timeoutMs: 300 });
    const lost = await one.invoke(backendCall());
    expect(lost).toMatchObject({ error: { code: 'backend-lost', isUnknown: true } });
    const late = await one.invoke(backendCall());
    expect(late).toMatchObject({ error: { code: 'backend-timed-out', isUnknown: true } });
  });

  it('is not called without a token', async () => {
    const others = await TokenKeys.open('card');
    const one = await backend(kind, {}, others.tokens());
    expect(await outcome(one)).toBe('unavailable: backend-token-key-unavailable');
    expect(sample.received).toEqual([]);
    await others.dispose();
  });

  it('is not called while the log cannot be asked which key signs', async () => {
    const down = { backendTokenSigner: async () => Promise.reject(new Error('no store')) };
    const tokens = new BackendTokens(down, 'https://x.example', Date.now, () => new Uint8Array(16));
    expect(await outcome(await backend(kind, {}, tokens))).toMatch(
      /^unavailable: the log could not/,
    );
    expect(sample.received).toEqual([]);
  });

  it('is not followed to another address', async () => {
    const elsewhere = await SampleBackend.start(() => keys.jwks());
    for (const status of [301, 302, 303, 307, 308]) {
      sample.replies.push(replying(status, { location: elsewhere.url('/http') }));
      expect(await outcome(await backend(kind))).toBe(
        'failed: the backend redirects, which is never followed',
      );
    }
    expect(elsewhere.received).toEqual([]);
    await elsewhere.stop();
  });

  it.each([
    [400, { kind: 'failed' }],
    [403, { kind: 'failed' }],
    [404, { kind: 'failed' }],
    [409, { kind: 'failed' }],
    [429, { kind: 'unavailable', code: 'backend-busy', isUnknown: false }],
    [500, { kind: 'unavailable', code: 'backend-broken', isUnknown: true }],
    [503, { kind: 'unavailable', code: 'backend-broken', isUnknown: true }],
  ])('answers with status %i: %j', async (status, failure) => {
    sample.replies.push(replying(status, { 'retry-after': '7' }, { secret: 'of the backend' }));
    const result = await (await backend(kind)).invoke(backendCall());
    expect(result).toEqual({
      ok: false,
      error: {
        ...failure,
        detail: `the backend answered ${status}`,
        ...(failure.kind === 'unavailable' ? { retryAfterSeconds: 7 } : {}),
      },
    });
    expect(sample.received).toHaveLength(1);
  });

  it.each([205, 206, 207, 226])('has not given its whole answer with status %i', async (status) => {
    sample.replies.push((_, response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end('{"half":1}');
    });
    expect(await outcome(await backend(kind))).toBe(`failed: the backend answered ${status}`);
  });

  it('is asked again where it may be called twice, with another token', async () => {
    sample.replies.push(replying(503), replying(500));
    expect(await outcome(await backend(kind, { isIdempotent: true }))).toMatchObject({
      for: 'buyer',
    });
    const tokens = new Set(sample.received.map(({ claims }) => claims.jti));
    const invocations = new Set(sample.received.map(({ claims }) => claims['invocation_id']));
    expect([tokens.size, invocations.size]).toEqual([3, 1]);
  });

  it('is asked three times at most', async () => {
    sample.replies.push(...Array.from({ length: 5 }, () => replying(500)));
    const one = await backend(kind, { isIdempotent: true });
    expect(await outcome(one)).toBe('unavailable: the backend answered 500');
    expect(sample.received).toHaveLength(3);
  });

  it('is not asked again when a connection broke, unless it may be called twice', async () => {
    const breaking: Reply = (request) => {
      request.socket.destroy();
    };
    sample.replies.push(breaking);
    expect(await outcome(await backend(kind))).toMatch(/^unavailable: the connection broke/);
    expect(sample.received).toHaveLength(1);
    sample.replies.push(breaking);
    expect(await outcome(await backend(kind, { isIdempotent: true }))).toMatchObject({
      for: 'buyer',
    });
  });

  it.each<[string, Reply]>([
    ['refuses the next', replying(409)],
    ['is busy by the next', replying(429, { 'retry-after': '60' })],
    ['does not answer the next', (request) => void request.socket.destroy()],
  ])('that may have done it in one attempt, and %s, may have done it', async (_, next) => {
    sample.replies.push(replying(500), next, next);
    const result = await (await backend(kind, { isIdempotent: true })).invoke(backendCall());
    expect(result).toMatchObject({ error: { kind: 'unavailable', isUnknown: true } });
  });

  it('has the time of its binding', async () => {
    sample.replies.push(() => undefined);
    const started = performance.now();
    const one = await backend(kind, { timeoutMs: 100, isIdempotent: true });
    expect(await outcome(one)).toBe('unavailable: no answer in time');
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(sample.received.length).toBeLessThanOrEqual(1);
  });

  it('has no more time than the call', async () => {
    sample.replies.push(() => undefined);
    const call = backendCall({ deadline: Date.now() + 100, signal: AbortSignal.timeout(110) });
    expect(await outcome(await backend(kind), call)).toBe('unavailable: no answer in time');
    const { length } = sample.received;
    const late = backendCall({ deadline: Date.now() - 1 });
    expect(await (await backend(kind)).invoke(late)).toMatchObject({
      error: { code: 'backend-not-tried', isUnknown: false, detail: 'no answer in time' },
    });
    expect(sample.received).toHaveLength(length);
  });

  it('is given up with the call, and when the node stops', async () => {
    const given = new AbortController();
    const one = await backend(kind);
    sample.replies.push(
      () => {
        given.abort();
      },
      () => {
        one.close();
      },
    );
    for (const call of [backendCall({ signal: given.signal }), backendCall(), backendCall()]) {
      expect(await outcome(one, call)).toBe('unavailable: the call was given up');
    }
    expect(sample.received).toHaveLength(2);
  });

  it('answers with at most 1 MiB', async () => {
    const endless: Reply = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(64 * 1024, 0x20)));
      };
      response.on('drain', more);
      more();
    };
    sample.replies.push(endless);
    expect(await outcome(await backend(kind))).toBe(
      'failed: the answer is longer than 1048576 bytes',
    );
  });

  it.each([
    ['text/html', '{}', 'failed: the answer is not application/json'],
    ['application/jsonp', '{}', 'failed: the answer is not application/json'],
    ['application/json', '{"a":1,"a":2}', /no unambiguous JSON \(json-duplicate-name\)$/],
    ['application/json', '{"__proto__":{}}', /no unambiguous JSON \(json-forbidden-name\)$/],
    ['application/json', '{', /no unambiguous JSON \(json-syntax\)$/],
    ['application/json', '[', /no unambiguous JSON \(json-syntax\)$/],
    ['application/json', '['.repeat(100_000), /no unambiguous JSON \(json-too-deep\)$/],
    [
      'application/json; charset=utf-8',
      '"\\ud800"',
      /no unambiguous JSON \(json-lone-surrogate\)$/,
    ],
  ])('does not answer with %s %j', async (type, body, failure) => {
    sample.replies.push((_, response) => {
      response.writeHead(200, { 'content-type': type }).end(body);
    });
    expect(await outcome(await backend(kind))).toMatch(failure);
  });
});

describe('a backend that is not there', () => {
  it('is asked again whether or not it may be called twice: nothing was sent', async () => {
    const gone = await SampleBackend.start(() => keys.jwks());
    const url = gone.url('/http');
    await gone.stop();
    const one = await backend('http', { url });
    const started = performance.now();
    expect(await one.invoke(backendCall())).toMatchObject({
      error: {
        ...{ kind: 'unavailable', code: 'backend-not-reached', isUnknown: false },
        detail: 'no connection (ECONNREFUSED)',
      },
    });
    expect(performance.now() - started).toBeGreaterThan(150);
  });
});

describe('the circuit of a backend', () => {
  it('opens when most attempts fail, and spares it further ones', async () => {
    const one = await backend('http');
    sample.replies.push(...Array.from({ length: 20 }, () => replying(500)));
    for (let i = 0; i < 10; i++) expect(await outcome(one)).toMatch('answered 500');
    const result = await one.invoke(backendCall());
    expect(result).toEqual({
      ok: false,
      error: {
        kind: 'unavailable',
        code: 'backend-not-tried',
        isUnknown: false,
        detail: 'the circuit of the backend is open',
        retryAfterSeconds: 10,
      },
    });
    expect(asked()).toBe(10);
    // Another binding has another circuit.
    expect(await outcome(await backend('http'))).toMatch('answered 500');
  });

  it('is not opened by calls that are at fault themselves', async () => {
    const one = await backend('http');
    for (let i = 0; i < 30; i++) {
      sample.replies.push(replying(i % 2 === 0 ? 422 : 429));
      await outcome(one);
    }
    expect(await outcome(one)).toMatchObject({ for: 'buyer' });
  });

  it('is not opened to others by the calls of one caller, however they fail', async () => {
    const one = await backend('http');
    const failing = backendCall({ caller: { ...caller('mallory'), agent: null } });
    sample.replies.push(...Array.from({ length: 10 }, () => replying(500)));
    for (let i = 0; i < 20; i++) await outcome(one, failing);
    expect(asked()).toBe(10);
    expect(await outcome(one)).toMatchObject({ for: 'buyer' });
    expect(await outcome(one, backendCall({ caller: null }))).toMatchObject({ for: null });
    expect(await outcome(one, failing)).toMatch('circuit of the backend is open');
  });

  it('is open to all while no connection comes about', async () => {
    const gone = await SampleBackend.start(() => keys.jwks());
    const url = gone.url('/http');
    await gone.stop();
    const one = await backend('http', { url });
    const others = Array.from({ length: 4 }, (_, index) => `caller-${index}`);
    for (const principal of others) {
      const call = backendCall({ caller: { ...caller(principal), agent: null } });
      await outcome(one, call);
    }
    expect(await one.invoke(backendCall())).toMatchObject({ error: { code: 'backend-not-tried' } });
  });
});

describe('an HTTP backend', () => {
  it('is posted one document, with a key by which it knows a repetition', async () => {
    const call = backendCall();
    await outcome(await backend('http'), call);
    const [received] = sample.received;
    expect(received?.body).toEqual({
      skillId: 'reconcile',
      arguments: { invoice: 'INV-1' },
      invocationId: call.invocationId,
      traceId: 'trace-1',
    });
    expect(received?.headers).toMatchObject({
      'idempotency-key': call.invocationId,
      'content-type': 'application/json',
      accept: 'application/json',
    });
  });

  it('is not told of a trace that there is not', async () => {
    await outcome(await backend('http'), backendCall({ traceId: null, traceparent: null }));
    expect(sample.received[0]?.body).not.toHaveProperty('traceId');
    expect(sample.received[0]?.headers).not.toHaveProperty('traceparent');
  });

  it.each([
    ['a list', [1, 2]],
    ['a text', 'done'],
    ['null', null],
  ])('may answer with %s', async (_, output) => {
    sample.replies.push(replying(200, {}, output));
    expect(await outcome(await backend('http'))).toEqual(output);
  });

  it.each([202, 204])('that takes a call and does not answer may yet do it: %i', async (status) => {
    sample.replies.push((_, response) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(status === 202 ? '{"accepted":true}' : undefined);
    });
    const result = await (await backend('http')).invoke(backendCall());
    expect(result).toMatchObject({
      error: { code: 'backend-unfinished', detail: `the backend answered ${status}` },
    });
  });

  it('takes no stream of events for a document, whatever it holds', async () => {
    for (const kind of ['http', 'a2a'] as const) {
      const task = '{"jsonrpc":"2.0","id":1,"result":{"task":{"a":1,"a":2}}}';
      sample.replies.push((_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end(task);
      });
      expect(await outcome(await backend(kind))).toBe('failed: the answer is not application/json');
    }
  });

  it.each(['a2a', 'mcp'] as const)('over %s, too, may yet do what it took', async (kind) => {
    sample.replies.push((_, response) => {
      response.writeHead(202).end();
    });
    const started = performance.now();
    const result = await (await backend(kind, { timeoutMs: 20_000 })).invoke(backendCall());
    expect(result).toMatchObject({ error: { code: 'backend-unfinished' } });
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('waits as long as Retry-After asks, if the call has the time', async () => {
    sample.replies.push(replying(429, { 'retry-after': '1' }));
    const started = performance.now();
    const one = await backend('http', { isIdempotent: true });
    expect(await outcome(one)).toMatchObject({ for: 'buyer' });
    expect(performance.now() - started).toBeGreaterThanOrEqual(990);
    sample.replies.push(replying(429, { 'retry-after': '60' }));
    expect(await one.invoke(backendCall())).toMatchObject({ error: { retryAfterSeconds: 60 } });
    expect(sample.received).toHaveLength(3);
  });
});

describe('an A2A agent', () => {
  it('is sent one message with a data part, under the invocation’s id', async () => {
    const call = backendCall();
    await outcome(await backend('a2a'), call);
    const [received] = sample.received;
    expect(received?.headers['a2a-version']).toBe('1.0');
    expect(received?.body).toMatchObject({
      jsonrpc: '2.0',
      method: 'SendMessage',
      params: {
        message: {
          messageId: call.invocationId,
          role: 'ROLE_USER',
          parts: [{ data: { invoice: 'INV-1' }, mediaType: 'application/json' }],
        },
        configuration: { acceptedOutputModes: ['application/json'] },
      },
    });
    expect(JSON.stringify(received?.body)).not.toContain('"returnImmediately":true');
  });

  it('may answer with a message', async () => {
    sample.a2aResult = (output) => ({
      message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'x' }, { data: output }] },
    });
    expect(await outcome(await backend('a2a'))).toMatchObject({ for: 'buyer' });
  });

  it.each(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING'])(
    'may yet do what its task says that it is still at: %s',
    async (state) => {
      sample.a2aResult = (output) => ({ task: completedTask(output, state) });
      expect(await (await backend('a2a')).invoke(backendCall())).toMatchObject({
        error: { code: 'backend-unfinished', isUnknown: true },
      });
    },
  );

  it.each([
    'TASK_STATE_FAILED',
    'TASK_STATE_REJECTED',
    'TASK_STATE_CANCELED',
    'TASK_STATE_INPUT_REQUIRED',
    'TASK_STATE_AUTH_REQUIRED',
  ])('has not answered with a task that is %s', async (state) => {
    sample.a2aResult = (output) => ({ task: completedTask(output, state) });
    expect(await outcome(await backend('a2a'))).toBe(`failed: the agent's task is ${state}`);
  });

  it.each([
    ['no artifact', { ...completedTask({}), artifacts: [] }],
    [
      'only a text',
      { ...completedTask({}), artifacts: [{ artifactId: 'a', parts: [{ text: 'x' }] }] },
    ],
  ])('has not answered with %s', async (_, task) => {
    sample.a2aResult = () => ({ task });
    expect(await outcome(await backend('a2a'))).toBe(
      'failed: the agent answered without a data part',
    );
  });

  it('fails with a JSON-RPC error, or with what is none of its protocol', async () => {
    const error = { code: -32001, message: 'No INV-1', data: { invoice: 'INV-1' } };
    sample.replies.push(
      (_, response) => {
        answer(response, 200, { jsonrpc: '2.0', id: 1, error });
      },
      replying(200, {}, { nothing: true }),
    );
    const one = await backend('a2a');
    // In words of this service: theirs may repeat the arguments.
    const words = /^failed: the answer is of no use \([\w-]+( [\w-]+)?\)$/;
    expect(await outcome(one)).toMatch(words);
    expect(await outcome(one)).toMatch(words);
  });
});

describe('an MCP server', () => {
  /** It never answers who ends a session; when it was asked to, and when nobody waits any more. */
  function keepsSessions(): { readonly asked: Promise<void>; readonly left: Promise<void> } {
    let left: Promise<void> | undefined;
    const asked = new Promise<void>((resolve) => {
      sample.tool.ending = (response) => {
        left = once(response, 'close').then(() => undefined);
        resolve();
      };
    });
    return { asked, left: asked.then(async () => left) };
  }

  it.each([true, false])('answers with structured content (as a stream: %s)', async (streams) => {
    sample.tool.streams = streams;
    expect(await outcome(await backend('mcp'))).toEqual({
      for: 'buyer',
      arguments: { invoice: 'INV-1' },
    });
  });

  it('has a session for each call, and none after it', async () => {
    const one = await backend('mcp');
    await Promise.all([outcome(one), outcome(one)]);
    const deadline = Date.now() + 2_000;
    while (sample.tool.openSessions > 0 && Date.now() < deadline) await pause(10);
    expect(sample.tool.openSessions).toBe(0);
    const sessions = new Set(sample.received.map(({ headers }) => headers['mcp-session-id']));
    sessions.delete(undefined);
    expect(sessions.size).toBe(2);
  });

  it('that does not end its session is left when the attempt’s time is over', async () => {
    const one = await backend('mcp', { timeoutMs: 1000 });
    const { asked: isAsked, left } = keepsSessions();
    const started = performance.now();
    expect(await outcome(one)).toMatchObject({ for: 'buyer' });
    await isAsked;
    expect(performance.now() - started).toBeLessThan(900);
    await left;
    expect(performance.now() - started).toBeGreaterThan(900);
  }, 5000);

  it('that does not end its session is left when the node stops', async () => {
    const one = await backend('mcp', { timeoutMs: 60_000 });
    const { asked: isAsked, left } = keepsSessions();
    expect(await outcome(one)).toMatchObject({ for: 'buyer' });
    await isAsked;
    one.close();
    await left;
  }, 5000);

  it('is asked for the binding’s tool alone, and never listened to', async () => {
    await outcome(await backend('mcp'));
    const methods = sample.received.map(({ body }) => body['method'] ?? null);
    expect(methods.slice(0, 3)).toEqual(['initialize', 'notifications/initialized', 'tools/call']);
    expect(await outcome(await backend('mcp', { tool: 'another' }))).toMatch(/^failed: /);
  });

  it('may answer with one text that is JSON', async () => {
    const texts = (...all: readonly string[]) => ({
      content: all.map((text) => ({ type: 'text' as const, text })),
    });
    const one = await backend('mcp');
    sample.tool.result = (output) => texts(JSON.stringify(output));
    expect(await outcome(one)).toMatchObject({ for: 'buyer' });
    sample.tool.result = () => texts('Done.');
    expect(await outcome(one)).toMatch('no unambiguous JSON');
    sample.tool.result = () => texts('{"a":1,"a":2}');
    expect(await outcome(one)).toMatch('json-duplicate-name');
    sample.tool.result = () => texts('1', '2');
    expect(await outcome(one)).toMatch('neither structured content nor one text');
  });

  it('fails when its tool does, whatever the tool says', async () => {
    sample.tool.result = (output) => ({
      isError: true,
      content: [{ type: 'text', text: 'no' }],
      structuredContent: output,
    });
    expect(await outcome(await backend('mcp'))).toBe('failed: the tool reports an error');
  });

  it('is told by the code of its error, not by what it says of it', async () => {
    const answered = async (id: Json): Promise<Json> => {
      const reply: Reply = (_, response) => {
        const error = { code: -32602, message: 'no invoice INV-1' };
        answer(response, 200, { jsonrpc: '2.0', id, error });
      };
      // The first request of the session.
      sample.replies.push(reply);
      return outcome(await backend('mcp'));
    };
    expect(await answered(0)).toBe('failed: the answer is of no use (McpError -32602)');
  });

  /** The answer to the first request of a session, as events; a `$` in them is the answer's beginning. */
  const streaming =
    (stream: string): Reply =>
    (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(stream.replaceAll('$', '{"jsonrpc":"2.0","id":0,'));
    };
  const AMBIGUOUS = 'failed: the answer is no unambiguous JSON';
  const LOST = 'unavailable: the stream ended without an answer';

  it.each([
    ['a name twice', 'data: $"result":{"a":1,"a":2}}\n\n', `${AMBIGUOUS} (json-duplicate-name)`],
    ['an inexact number', 'data: $"result":{"a":9007199254740993}}\n\n', 'json-inexact-number'],
    ['a prototype', 'data: $"result":{"__proto__":{}}}\n\n', 'json-forbidden-name'],
    ['half a character', 'data: $"result":{"a":"\\ud83d"}}\n\n', 'json-lone-surrogate'],
    ['no JSON', 'data: yes\n\n', 'json-syntax'],
    ['nothing', ': bye\n\n', LOST],
    ['an answer that is cut', 'data: $"result":{}}\n', LOST],
    ['an answer to somebody else', 'data: {"jsonrpc":"2.0","id":9,"result":{}}\n\n', LOST],
    ['what is no answer', 'data: $"result":7}\n\n', LOST],
    ['another kind of event', 'event: ping\ndata: $"result":{}}\n\n', LOST],
  ])('that streams %s is not waited for', async (_, stream, expected) => {
    sample.replies.push(streaming(stream));
    const started = performance.now();
    expect(await outcome(await backend('mcp', { timeoutMs: 20_000 }))).toMatch(expected);
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('that loses the answer may have done it, and is asked again where that does no harm', async () => {
    sample.replies.push(streaming(': bye\n\n'));
    const lost = await (await backend('mcp')).invoke(backendCall());
    expect(lost).toMatchObject({ error: { code: 'backend-lost', isUnknown: true } });
    sample.replies.push(streaming(': bye\n\n'));
    expect(await outcome(await backend('mcp', { isIdempotent: true }))).toMatchObject({
      for: 'buyer',
    });
  });

  it('that answers another request is not waited for', async () => {
    sample.replies.push(replying(200, {}, { jsonrpc: '2.0', id: 9, result: {} }));
    const started = performance.now();
    expect(await outcome(await backend('mcp', { timeoutMs: 20_000 }))).toBe(
      'failed: the document is no answer to the request',
    );
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('streams at most 1 MiB', async () => {
    sample.tool.result = () => ({ content: [], structuredContent: { x: 'x'.repeat(1024 * 1024) } });
    const started = performance.now();
    expect(await outcome(await backend('mcp'))).toBe('failed: the stream is too long');
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
