import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import type { JsonObject } from '../../src/kernel/json.js';
import {
  BINDINGS,
  jsonRpc,
  saying,
  taskIdOf,
  type Reply,
} from '../a2a/transports/support/bindings.js';
import { DIRECT_URI } from '../capabilities/support/extensions.js';
import { AUDIENCE } from '../invocations/backends/support/calls.js';
import type {
  Reply as Answers,
  SampleBackend,
} from '../invocations/backends/support/sample-backend.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { scripted } from './support/deployment.js';
import { AgentClient, dataOf, invoking, outcomeOf } from './support/direct-calls.js';
import {
  agree,
  callerFor,
  contractSkill,
  FINANCE,
  financeDeployment,
  ledgerSkill,
  newPartner,
  registerFinance,
  SCOPE,
  startBackend,
} from './support/finance.js';
import type { Negotiator } from './support/negotiator.js';

const TIMEOUT_MS = 400;
const INVOICE = { invoice: 'INV-1' };

let service: InProcessService;
let backend: SampleBackend;
let elsewhere: Server;
let elsewhereCalls = 0;
let finance: Negotiator;
let alice: AgentClient;

beforeAll(async () => {
  backend = await startBackend(() => service);
  elsewhere = createServer((_, response) => {
    elsewhereCalls++;
    response.end('{}');
  });
  elsewhere.listen(0, '127.0.0.1');
  await once(elsewhere, 'listening');
  const direct = ledgerSkill('x')['direct_invoke'] as JsonObject;
  const on = (name: string): JsonObject => ({
    handler: name,
    direct_invoke: { ...direct, backend: { type: 'http', name } },
  });
  const more = { kind: 'http', url: backend.url('/http'), audience: AUDIENCE };
  service = await startTestService(
    await financeDeployment(
      backend,
      [
        ledgerSkill('lookup'),
        scripted('asks-further', {
          ...{ handler: 'e2e.asks-further', visibility: 'extended', requires_scopes: [SCOPE] },
          skill: { outputModes: ['application/json'] },
        }),
        ledgerSkill('flaky', on('flaky')),
        ledgerSkill('without-handler', on('archive')),
        ledgerSkill('tooled', {
          handler: 'tool',
          direct_invoke: { ...direct, backend: { type: 'mcp', name: 'tool' } },
        }),
        ledgerSkill('one-at-a-time', { limits: { max_concurrent: 1 } }),
        ledgerSkill('twice-a-minute', { limits: { max_calls_per_minute: 2 } }),
        contractSkill('once-a-minute', { limits: { max_calls_per_minute: 1 } }),
        ledgerSkill('small', { limits: { max_message_bytes: 700, max_parts: 1 } }),
      ],
      {
        binding: { timeoutMs: TIMEOUT_MS },
        backends: {
          flaky: { ...more, name: 'flaky' },
          archive: { ...more, name: 'archive' },
          tool: {
            ...{ kind: 'mcp', name: 'tool', tool: 'reconcile', audience: AUDIENCE },
            ...{ url: backend.url('/mcp'), timeoutMs: 20_000 },
          },
        },
      },
    ),
  );
  finance = await registerFinance(service);
  alice = await clientOf('alice');
});

beforeEach(() => {
  backend.delay = async () => Promise.resolve();
});

afterAll(async () => {
  await service.dispose();
  await backend.stop();
  elsewhere.close();
});

async function clientOf(principal: string, scopes = [SCOPE]): Promise<AgentClient> {
  return new AgentClient(service, FINANCE, await service.token({ principal, scopes }));
}

const secondsOf = ({ headers }: Reply) => Number(headers.get('retry-after'));

describe('what a backend over HTTP is sent', () => {
  it('is a token of the service for it alone, and of the caller’s nothing but who it is', async () => {
    const client = await clientOf('carol', [SCOPE, 'payments.approve', 'agents:write']);
    const reply = await client.invoke('lookup', INVOICE, { payload: { traceId: 'trace-9' } });
    expect(dataOf(reply)).toEqual({ for: 'carol', arguments: INVOICE });
    const { claims, headers, body } = backend.received.at(-1)!;
    expect(claims).toMatchObject({
      iss: service.audience,
      aud: AUDIENCE,
      sub: 'carol',
      act: { sub: FINANCE },
      tenant: 'tenant',
      // What the skill requires and the caller has; nothing else that the caller has.
      scope: SCOPE,
    });
    expect(claims).not.toHaveProperty('interaction_id');
    expect(Number(claims.exp) - Number(claims.iat)).toBe(60);
    expect(body).toMatchObject({ skillId: 'lookup', arguments: INVOICE, traceId: 'trace-9' });
    expect(headers['idempotency-key']).toBe(claims['invocation_id']);
    const sent = JSON.stringify([headers, body]);
    expect(sent).not.toContain(client.token);
    expect(sent).not.toContain(String(client.token).split('.')[2]);
  });

  it('is the like of what a handler may send to whomever it asks next', async () => {
    const metadata = { skillId: 'asks-further' };
    const reply = await alice.ask('SendMessage', saying('hello', { metadata }));
    const jwks = await (await fetch(`${service.url}/.well-known/jwks.json`)).json();
    const { payload } = await jwtVerify(
      String(dataOf(reply)['token']),
      createLocalJWKSet(jwks as JSONWebKeySet),
      { issuer: service.audience, audience: 'https://erp.example', typ: 'backend+jwt' },
    );
    expect(payload).toMatchObject({ sub: 'alice', tenant: 'tenant', scope: SCOPE });
  });

  it('is the data of a message, too, where there is no handler for messages', async () => {
    const parts = [{ text: 'Please.' }, { data: INVOICE }];
    const reply = await alice.ask(
      'SendMessage',
      saying('', { parts, metadata: { skillId: 'without-handler' } }),
    );
    expect(dataOf(reply)).toEqual({ for: 'alice', arguments: INVOICE });
    const { claims, body } = backend.received.at(-1)!;
    expect(claims).toMatchObject({ sub: 'alice', act: { sub: FINANCE }, scope: SCOPE });
    expect(body).toMatchObject({ skillId: 'without-handler', arguments: INVOICE });
  });

  it('is accepted by no API of the service itself', async () => {
    await alice.invoke('lookup', INVOICE);
    const authorization = backend.received.at(-1)?.headers.authorization ?? '';
    const token = authorization.replace('Bearer ', '');
    const borrowed = new AgentClient(service, FINANCE, token, jsonRpc);
    expect((await borrowed.invoke('lookup', INVOICE)).status).toBe(401);
    expect((await service.call('GET', '/v1/agents', { token })).status).toBe(401);
  });

  it('is nothing of headers that the caller adds', async () => {
    const headers = {
      'a2a-extensions': DIRECT_URI,
      cookie: 'session=stolen',
      'x-api-key': 'k',
      'x-forwarded-for': '10.0.0.1',
      'proxy-authorization': 'Basic eDp5',
    };
    await alice.ask('SendMessage', invoking('lookup', INVOICE), { headers });
    expect(JSON.stringify(backend.received.at(-1)?.headers)).not.toMatch(
      /stolen|api-key|10\.0\.0|Basic/,
    );
  });
});

describe('what a tool of an MCP server streams', () => {
  it.each([
    ['JSON of two meanings', 'data: {"jsonrpc":"2.0","id":0,"result":{"a":1,"a":2}}\n\n', 'FAILED'],
    ['nothing more', ': bye\n\n', 'UNAVAILABLE backend-lost'],
  ])('is no output, and not waited for: %s', async (_, stream, outcome) => {
    backend.replies.push((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(stream),
    );
    const started = performance.now();
    expect(outcomeOf(await alice.invoke('tooled', INVOICE))).toBe(`BACKEND_${outcome}`);
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(dataOf(await alice.invoke('tooled', INVOICE))).toEqual({
      for: 'alice',
      arguments: INVOICE,
    });
  });
});

const json =
  (body: string, status = 200): Answers =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);

describe.each(BINDINGS)('what a backend over HTTP answers ($name)', (binding) => {
  it.each<readonly [given: string, outcome: string, reply: Answers]>([
    [
      'a redirect',
      'BACKEND_FAILED',
      (_, response) => response.writeHead(307, { location: urlElsewhere() }).end(),
    ],
    ['more than a mebibyte', 'BACKEND_FAILED', json(`{"for":"${'x'.repeat(1024 * 1024)}"}`)],
    ['no JSON', 'BACKEND_FAILED', json('db7.internal says <no>')],
    ['JSON of two meanings', 'BACKEND_FAILED', json('{"for":"a","for":"b","arguments":{}}')],
    ['a name that could harm', 'BACKEND_FAILED', json('{"for":"a","arguments":{},"__proto__":{}}')],
    [
      'another media type',
      'BACKEND_FAILED',
      (_, response) => response.end('<html>db7.internal</html>'),
    ],
    ['nothing', 'BACKEND_FAILED', json('')],
    ['a refusal', 'BACKEND_FAILED', json('{"error":"db7.internal"}', 403)],
    [
      'a failure of its own',
      'BACKEND_UNAVAILABLE backend-broken',
      json('{"error":"db7.internal"}', 500),
    ],
    [
      'a broken connection',
      'BACKEND_UNAVAILABLE backend-lost',
      (_, response) => void response.destroy(),
    ],
    ['another form than declared', 'OUTPUT_INVALID', json('{"for":["db7.internal"]}')],
  ])('%s: %s', async (_, outcome, reply) => {
    backend.replies.push(reply);
    const answer = await alice.over(binding).invoke('lookup', INVOICE);
    expect(outcomeOf(answer)).toBe(outcome);
    expect(answer.text).not.toContain('db7.internal');
    expect(backend.replies).toEqual([]);
    expect(elsewhereCalls).toBe(0);
  });

  it('too late: BACKEND_UNAVAILABLE, soon', async () => {
    backend.delay = async () => delay(4 * TIMEOUT_MS);
    const began = performance.now();
    expect(outcomeOf(await alice.over(binding).invoke('lookup', INVOICE))).toMatch(
      /^BACKEND_UNAVAILABLE/,
    );
    expect(performance.now() - began).toBeLessThan(3 * TIMEOUT_MS);
  });

  it('please later: BACKEND_UNAVAILABLE, and when', async () => {
    backend.replies.push((_, response) => response.writeHead(429, { 'retry-after': '17' }).end());
    const answer = await alice.over(binding).invoke('lookup', INVOICE);
    expect(outcomeOf(answer)).toMatch(/^BACKEND_UNAVAILABLE/);
    expect(secondsOf(answer)).toBe(17);
  });
});

it('a backend that fails again and again is spared', async () => {
  for (let call = 0; call < 10; call++) {
    backend.replies.push(json('{}', 503));
    expect(outcomeOf(await alice.invoke('flaky', INVOICE))).toMatch(/^BACKEND_UNAVAILABLE/);
  }
  const calls = backend.received.length;
  expect(outcomeOf(await alice.invoke('flaky', INVOICE))).toMatch(/^BACKEND_UNAVAILABLE/);
  expect(backend.received.length).toBe(calls);
  // No other binding pays for it.
  expect(outcomeOf(await alice.invoke('lookup', INVOICE))).toBe('COMPLETED');
});

describe.each(BINDINGS)('limits of a manifest over $name', (binding) => {
  it('so many at a time', async () => {
    const client = alice.over(binding);
    backend.delay = async () => delay(200);
    const replies = await Promise.all(
      Array.from({ length: 4 }, () => client.invoke('one-at-a-time', INVOICE)),
    );
    const busy = replies.filter((reply) => outcomeOf(reply) !== 'COMPLETED');
    expect(busy.map(outcomeOf)).toEqual(Array(3).fill('BACKEND_UNAVAILABLE capability-busy'));
    for (const reply of busy) expect(secondsOf(reply)).toBeGreaterThan(0);
    expect(outcomeOf(await client.invoke('one-at-a-time', INVOICE))).toBe('COMPLETED');
  });

  it('so many a minute for each caller; what is refused or answered again does not count', async () => {
    const client = (await clientOf(`minute-${binding.name}`)).over(binding);
    const key = { payload: { idempotencyKey: 'again' } };
    expect(outcomeOf(await client.invoke('twice-a-minute', { no: 1 }))).toBe('INVALID_ARGUMENTS');
    const first = await client.invoke('twice-a-minute', INVOICE, key);
    const again = await client.invoke('twice-a-minute', INVOICE, key);
    expect(taskIdOf(again)).toBe(taskIdOf(first));
    expect(outcomeOf(await client.invoke('twice-a-minute', INVOICE))).toBe('COMPLETED');
    const calls = backend.received.length;
    const third = await client.invoke('twice-a-minute', INVOICE);
    expect(outcomeOf(third)).toBe('BACKEND_UNAVAILABLE rate-limited');
    expect(secondsOf(third)).toBeGreaterThan(0);
    expect(secondsOf(third)).toBeLessThanOrEqual(60);
    expect(outcomeOf(await client.route('twice-a-minute'))).toMatch(/rate-limited|RATE_LIMITED/);
    expect(backend.received.length).toBe(calls);
    expect(outcomeOf(await client.invoke('twice-a-minute', INVOICE, key))).toBe('COMPLETED');
    const other = (await clientOf(`other-${binding.name}`)).over(binding);
    expect(outcomeOf(await other.invoke('twice-a-minute', INVOICE))).toBe('COMPLETED');
  });

  it('… and for each contract', async () => {
    const partner = await newPartner(service);
    const client = (await callerFor(service, partner)).over(binding);
    const contracts = [await agree(partner, finance), await agree(partner, finance)];
    const outcomes: string[] = [];
    for (const { interactionId } of [...contracts, ...contracts]) {
      const contract = { interactionId };
      outcomes.push(outcomeOf(await client.invoke('once-a-minute', INVOICE, { contract })));
    }
    const limited = 'BACKEND_UNAVAILABLE rate-limited';
    expect(outcomes).toEqual(['COMPLETED', 'COMPLETED', limited, limited]);
  });

  it('so large', async () => {
    const client = alice.over(binding);
    expect(outcomeOf(await client.invoke('small', INVOICE))).toBe('COMPLETED');
    const large = await client.invoke('small', { invoice: 'x'.repeat(700) });
    expect(outcomeOf(large)).toBe('INVALID_ARGUMENTS message-too-large');
    const parts = [{ text: 'a' }, { text: 'b' }];
    const many = await client.invoke('small', INVOICE, { message: { parts } });
    expect(outcomeOf(many)).toBe('INVALID_ARGUMENTS too-many-parts');
  });
});

function urlElsewhere(): string {
  return `http://127.0.0.1:${String((elsewhere.address() as AddressInfo).port)}/`;
}
