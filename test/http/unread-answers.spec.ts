import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import type { AnswerLimits } from '../../src/http/answer-budget.js';
import { sendEvents, type StreamForm } from '../../src/http/event-stream.js';
import { MethodTable } from '../../src/http/method-table.js';
import { ProblemWriter } from '../../src/http/problem-writer.js';
import { annotate } from '../../src/http/request-context.js';
import { UnreadAnswers } from '../../src/http/unread-answers.js';
import type { Caller } from '../../src/kernel/caller.js';
import { eventually } from '../support/eventually.js';
import { listen, UNREAD_BYTES, UnreadClients } from './support/unread.js';

const LIMITS: AnswerLimits = {
  perNode: 5 * UNREAD_BYTES,
  perTenant: 4 * UNREAD_BYTES,
  perCaller: 3 * UNREAD_BYTES,
  anonymous: 2 * UNREAD_BYTES,
  perAddress: 2 * UNREAD_BYTES,
  first: 0,
};

let server: FastifyInstance;
let clients: UnreadClients;
let url: string;
let made = 0;

beforeEach(async () => {
  made = 0;
  server = fastify();
  clients = new UnreadClients(() => url);
  const answers = new UnreadAnswers(LIMITS);
  const problems = new ProblemWriter('https://countersign.example', new MethodTable());
  server.addHook('onRequest', (request, _reply, done) => {
    const principal = request.headers.authorization;
    const tenant = principal?.split('@')[1] ?? principal;
    const caller =
      principal === undefined ? undefined : ({ tenant, principal, agent: null } as Caller);
    annotate(request, { correlationId: '', caller, positionToken: null });
    done();
  });
  answers.watch(server);
  server.setErrorHandler((error, request, reply) => {
    problems.write(error, request, reply);
  });
  server.get('/large', (request, reply) => {
    const value = { text: 'x'.repeat(UNREAD_BYTES - 100) };
    answers.judge(request, value);
    made += 1;
    void reply.send(JSON.stringify(value));
  });
  // Judges a large answer, and sends none.
  server.get('/room', (request) => {
    answers.judge(request, { text: 'x'.repeat(UNREAD_BYTES - 100) });
    return 'there is room';
  });
  server.get('/events', async (_request, reply) => {
    const ends = new AbortController();
    reply.raw.on('close', () => ends.abort());
    await sendEvents(reply, events(reply.raw), FORM, ends.signal);
  });
  server.get('/unjudged', (_request, reply) => {
    reply.headers({ etag: '"1"', 'cache-control': 'public' });
    return 'x'.repeat(UNREAD_BYTES);
  });
  server.get('/small', () => 'small');
  url = await listen(server);
});

afterEach(async () => {
  clients.leave();
  await server.close();
});

/** Three events, of which the second is large. */
async function* events(response: ServerResponse): AsyncGenerator<object, undefined> {
  yield { small: 1 };
  made += 1;
  yield { text: 'x'.repeat(UNREAD_BYTES - 100) };
  taken.add(response);
  yield { small: 2 };
  return undefined;
}

const FORM: StreamForm<object> = {
  event: (value) => ({ id: '1', type: undefined, data: { before: '[', value, after: ']' } }),
  fault: (error) => ({ id: undefined, type: 'fault', data: String(error) }),
};

/** Streams whose large event their clients have. */
const taken = new Set<ServerResponse>();

const as = (principal: string): readonly string[] => [`authorization: ${principal}`];

async function get(path: string, principal?: string): Promise<Response> {
  return fetch(
    `${url}${path}`,
    principal === undefined ? {} : { headers: { authorization: principal } },
  );
}

async function statusOf(path: string, principal?: string): Promise<number> {
  const answer = await get(path, principal);
  await answer.arrayBuffer();
  return answer.status;
}

/** Answers that are made and not read, of one caller. */
async function leaveUnread(count: number, principal?: string): Promise<void> {
  const before = made;
  for (let nth = 0; nth < count; nth += 1) {
    await clients.ask('/large', principal === undefined ? [] : as(principal));
  }
  await eventually(() => made === before + count);
}

it('refuses a caller who leaves large answers unread a further one, before it is made', async () => {
  await leaveUnread(3, 'alice');
  const refused = await get('/large', 'alice');
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(await refused.json()).toMatchObject({ code: 'too-many-streams' });
  expect(made).toBe(3);
});

it('serves that caller small answers, and others large ones', async () => {
  await leaveUnread(3, 'alice');
  expect(await statusOf('/small', 'alice')).toBe(200);
  expect(await statusOf('/large', 'bob')).toBe(200);
  expect(await statusOf('/large')).toBe(200);
});

it('gives the room back when the answers are read, or their connections end', async () => {
  await leaveUnread(3, 'alice');
  expect(await statusOf('/large', 'alice')).toBe(503);
  clients.leave();
  await eventually(async () => (await statusOf('/large', 'alice')) === 200);
  // Those that were read are given back as well.
  for (let nth = 0; nth < 4; nth += 1) expect(await statusOf('/large', 'alice')).toBe(200);
});

it('bounds what all who send no token leave unread, however many connections they open', async () => {
  const before = process.memoryUsage().arrayBuffers;
  await Promise.all(Array.from({ length: 60 }, () => clients.ask('/large')));
  await eventually(async () => (await statusOf('/large')) === 503);
  expect(made).toBe(2);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * UNREAD_BYTES);
  expect(await statusOf('/large', 'alice')).toBe(200);
});

it('bounds what all callers of one tenant leave unread', async () => {
  await leaveUnread(3, 'alice@acme');
  await leaveUnread(1, 'bob@acme');
  expect(await statusOf('/large', 'carol@acme')).toBe(503);
  expect(await statusOf('/large', 'carol')).toBe(200);
});

it('bounds what all together leave unread', async () => {
  await leaveUnread(3, 'alice');
  await leaveUnread(2, 'bob');
  expect(await statusOf('/large', 'carol')).toBe(503);
  expect(await statusOf('/small', 'carol')).toBe(200);
});

describe('events of streams', () => {
  const eventsAs = async (principal: string): Promise<string> =>
    (await get('/events', principal)).text();
  const WHOLE =
    /^id: 1\ndata: \[{"small":1}]\n\nid: 1\ndata: \[{"text":"x+"}]\n\nid: 1\ndata: \[{"small":2}]\n\n$/;

  it('count as answers do: without room for one its stream ends and says why, and small ones pass', async () => {
    await leaveUnread(2, 'alice');
    await clients.ask('/events', as('alice'));
    await eventually(() => made === 3);
    await eventually(async () => (await statusOf('/room', 'alice')) === 503);
    const text = await eventsAs('alice');
    expect(text).toMatch(
      /^id: 1\ndata: \[{"small":1}]\n\nevent: fault\ndata: .*too-many-streams\n\n$/,
    );
    expect(await eventsAs('bob')).toMatch(WHOLE);
  });

  it('are bounded however many streams there are', async () => {
    const before = process.memoryUsage().arrayBuffers;
    for (let nth = 0; nth < 40; nth++) await clients.ask('/events', as('alice'));
    await eventually(() => made === 40);
    await eventually(async () => (await statusOf('/room', 'alice')) === 503);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(6 * UNREAD_BYTES);
    expect(await eventsAs('bob')).toMatch(WHOLE);
  });

  it('give the room back when they are read, or their connections end', async () => {
    for (let nth = 0; nth < 5; nth++) expect(await eventsAs('alice')).toMatch(WHOLE);
    const sockets = await Promise.all(
      [1, 2, 3].map(async () => clients.ask('/events', as('alice'))),
    );
    await eventually(async () => (await statusOf('/room', 'alice')) === 503);
    taken.clear();
    sockets[0]?.resume();
    await eventually(() => taken.size === 1);
    expect(await statusOf('/room', 'alice')).toBe(200);
    clients.leave();
    await eventually(async () => (await eventsAs('alice')).includes('"small":2'));
  });
});

it('refuses also what nobody judged before it was made, but not its mere head', async () => {
  await leaveUnread(3, 'alice');
  const refused = await get('/unjudged', 'alice');
  expect([refused.status, refused.headers.get('etag')]).toEqual([503, null]);
  expect(refused.headers.get('cache-control')).toBe('no-store');
  expect(await refused.json()).toMatchObject({ code: 'too-many-streams' });
  const headers = { authorization: 'alice' };
  expect((await fetch(`${url}/unjudged`, { method: 'HEAD', headers })).status).toBe(200);
});
