import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { shareAnswers } from '../../src/http/shared-answers.js';
import { UnreadAnswers } from '../../src/http/unread-answers.js';
import { eventually } from '../support/eventually.js';
import { connectionsOf, listen, UnreadClients } from './support/unread.js';

const TEXT_BYTES = 6 * 1024 * 1024;

let server: FastifyInstance;
let clients: UnreadClients;
let url: string;
let asked = 0;

beforeEach(async () => {
  asked = 0;
  server = fastify();
  clients = new UnreadClients(() => url);
  shareAnswers(server, ({ url: path }) => path.startsWith('/public'));
  new UnreadAnswers({
    perNode: 1,
    perTenant: 1,
    perCaller: 1,
    anonymous: 1,
    perAddress: 1,
    first: 0,
  }).watch(server);
  server.get('/public/large', () => {
    asked += 1;
    // Another string each time, of the same text.
    return 'x'.repeat(TEXT_BYTES / 2) + 'y'.repeat(TEXT_BYTES / 2);
  });
  server.get('/public/changing', () => {
    asked += 1;
    return `the ${String(asked)}th`;
  });
  server.get('/public/unkept', (_request, reply) => {
    reply.header('cache-control', 'no-store');
    return 'for now';
  });
  server.get('/private', () => 'for you');
  url = await listen(server);
});

afterEach(async () => {
  clients.leave();
  await server.close();
});

it('keeps one copy of a document, however many clients leave it unread', async () => {
  const before = process.memoryUsage().arrayBuffers;
  const count = 30;
  for (let nth = 0; nth < count; nth += 1) await clients.ask('/public/large');
  await eventually(() => asked === count);
  // It is no matter of the budget either: there is none here.
  expect(await connectionsOf(server)).toBe(count);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * TEXT_BYTES);
  expect((await (await fetch(`${url}/public/large`)).text()).length).toBe(TEXT_BYTES);
});

it('gives it an entity tag, by which a client asks whether it has changed', async () => {
  const first = await fetch(`${url}/public/large`);
  await first.text();
  const etag = first.headers.get('etag') ?? '';
  expect(etag).toMatch(/^"[A-Za-z0-9_-]{43}"$/);
  const again = await fetch(`${url}/public/large`, { headers: { 'if-none-match': etag } });
  expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
  const head = await fetch(`${url}/public/large`, { method: 'HEAD' });
  expect(head.headers.get('etag')).toBe(etag);
});

it('answers a text that has changed', async () => {
  const first = await fetch(`${url}/public/changing`);
  expect(await first.text()).toBe('the 1th');
  const etag = first.headers.get('etag') ?? '';
  const next = await fetch(`${url}/public/changing`, { headers: { 'if-none-match': etag } });
  expect([next.status, await next.text()]).toEqual([200, 'the 2th']);
});

it.each(['/private', '/public/unkept'])('has nothing to do with %s', async (path) => {
  const answer = await fetch(`${url}${path}`);
  expect([answer.status, answer.headers.get('etag')]).toEqual([200, null]);
});
