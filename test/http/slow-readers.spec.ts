import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { dropSlowReaders, type ReadingPatience } from '../../src/http/slow-readers.js';
import { aMoment, eventually } from '../support/eventually.js';
import { connectionsOf, listen, UNREAD_BYTES, UnreadClients } from './support/unread.js';

const LARGE = 'x'.repeat(32 * 1024 * 1024);
const NEVER = 600_000;
/** Looked at often, and too long to be the reason. */
const LOOKS = { stallMs: 6000 };
const BEFORE_A_STALL_MS = 4500;
/** Of clients that read: server and client share this process, which a busy machine may leave alone for a while. */
const PATIENT_MS = 1500;

let server: FastifyInstance;
let clients: UnreadClients;
let url: string;

beforeEach(() => {
  server = fastify();
  clients = new UnreadClients(() => url);
});

afterEach(async () => {
  clients.leave();
  await server.close();
});

async function serve(patience: Partial<ReadingPatience>): Promise<void> {
  const all = { stallMs: NEVER, totalMs: NEVER, bytes: Infinity, ...patience };
  dropSlowReaders(server, all, () => performance.now());
  server.get('/large', () => LARGE);
  server.get('/stream', (_request, reply) => {
    reply.hijack();
    reply.raw.writeHead(200);
    reply.raw.write(LARGE);
  });
  server.get('/idle-stream', (_request, reply) => {
    reply.hijack();
    reply.raw.writeHead(200);
    reply.raw.write('x');
  });
  server.get('/slow-source', () => new PassThrough());
  url = await listen(server);
}

async function expectCutOff(withinMs: number): Promise<void> {
  await clients.ask('/large');
  await eventually(async () => (await connectionsOf(server)) === 1);
  await eventually(async () => (await connectionsOf(server)) === 0, withinMs);
}

it('ends the connection of a client that takes nothing of an answer for a while', async () => {
  await serve({ stallMs: 400 });
  await expectCutOff(BEFORE_A_STALL_MS);
});

it('ends the connection of a client that does not take all of a large answer in time', async () => {
  await serve({ ...LOOKS, totalMs: 400 });
  await expectCutOff(BEFORE_A_STALL_MS);
});

it('ends it at once while all connections keep too much', async () => {
  await serve({ ...LOOKS, bytes: UNREAD_BYTES });
  await expectCutOff(BEFORE_A_STALL_MS);
});

it('ends streams that nobody reads while all connections keep too much, and no idle ones', async () => {
  await serve({ ...LOOKS, bytes: UNREAD_BYTES });
  await clients.ask('/idle-stream');
  await clients.ask('/stream');
  await eventually(async () => (await connectionsOf(server)) === 2);
  await eventually(async () => (await connectionsOf(server)) === 1, BEFORE_A_STALL_MS);
});

it('leaves the time that streams take to their own limits', async () => {
  await serve({ stallMs: 400, totalMs: 400 });
  await clients.ask('/stream');
  await new Promise((resolve) => setTimeout(resolve, PATIENT_MS));
  expect(await connectionsOf(server)).toBe(1);
});

it('leaves a client alone that takes little by little, for longer than it may take nothing', async () => {
  const stallMs = PATIENT_MS;
  await serve({ stallMs });
  const socket = await clients.ask('/large');
  const began = performance.now();
  // The system itself takes over more only when a good part of what it holds is gone.
  let taken = 0;
  for await (const chunk of socket) {
    taken += (chunk as Buffer).length;
    if (taken >= LARGE.length) break;
    if (performance.now() - began < 3 * stallMs) await aMoment(5);
  }
  expect(taken).toBeGreaterThanOrEqual(LARGE.length);
  expect(performance.now() - began).toBeGreaterThan(2 * stallMs);
});

it('leaves a connection alone whose answer is taken, or still to be made', async () => {
  await serve({ stallMs: PATIENT_MS });
  const answer = await fetch(`${url}/large`);
  expect((await answer.text()).length).toBe(LARGE.length);
  await clients.ask('/slow-source');
  await new Promise((resolve) => setTimeout(resolve, 3 * PATIENT_MS));
  expect(await connectionsOf(server)).toBe(2);
});
