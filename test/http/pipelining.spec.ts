import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { serveInTurn } from '../../src/http/pipelining.js';
import { aMoment, eventually } from '../support/eventually.js';
import { connectionsOf, listen, UNREAD_BYTES, UnreadClients } from './support/unread.js';

const MAX_WAITING = 4;

let server: FastifyInstance;
let clients: UnreadClients;
let url: string;
let served = 0;

beforeEach(async () => {
  served = 0;
  server = fastify();
  serveInTurn(server, MAX_WAITING);
  server.get('/large', () => {
    served += 1;
    return `<${String(served)}>${'x'.repeat(UNREAD_BYTES)}`;
  });
  server.get('/small', () => {
    served += 1;
    return `<${String(served)}>`;
  });
  clients = new UnreadClients(() => url);
  url = await listen(server);
});

afterEach(async () => {
  clients.leave();
  await server.close();
});

it('begins no request behind an answer that nobody reads, and all of them when it is read', async () => {
  const socket = await clients.ask('/large', [], 1 + MAX_WAITING);
  await eventually(() => served === 1);
  await aMoment(200);
  expect(served).toBe(1);

  const answers: Buffer[] = [];
  let left = (1 + MAX_WAITING) * UNREAD_BYTES;
  for await (const chunk of socket) {
    answers.push(chunk as Buffer);
    left -= (chunk as Buffer).length;
    if (left <= 0) break;
  }
  const marks = Buffer.concat(answers).toString('latin1').match(/<\d+>/g);
  expect(marks).toEqual(['<1>', '<2>', '<3>', '<4>', '<5>']);
});

it('begins none of them when the client leaves', async () => {
  await clients.ask('/large', [], 1 + MAX_WAITING);
  await eventually(() => served === 1);
  clients.leave();
  await eventually(async () => (await connectionsOf(server)) === 0);
  await aMoment();
  expect(served).toBe(1);
});

it('ends a connection on which more requests wait', async () => {
  await clients.ask('/large', [], 2 + MAX_WAITING);
  await eventually(async () => served === 1 && (await connectionsOf(server)) === 0);
});

it('serves any number of requests of a client that reads', async () => {
  const socket = await clients.ask('/small', [], 1 + MAX_WAITING);
  socket.on('data', () => undefined);
  await eventually(() => served === 1 + MAX_WAITING);
  socket.end('GET /small HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(1 + MAX_WAITING));
  await eventually(() => served === 2 * (1 + MAX_WAITING));
});
