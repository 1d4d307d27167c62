import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { MethodTable } from '../../src/http/method-table.js';
import { ProblemWriter } from '../../src/http/problem-writer.js';
import { logOf } from '../support/captured-log.js';
import { aMoment, eventually } from '../support/eventually.js';
import { listen, UnreadClients } from './support/unread.js';

let server: FastifyInstance;
let clients: UnreadClients;
let ended: Promise<void> | undefined;
let url: string;

beforeEach(async () => {
  server = fastify();
  clients = new UnreadClients(() => url);
  const problems = new ProblemWriter('https://countersign.example', new MethodTable());
  server.setErrorHandler((error, request, reply) => {
    problems.write(error, request, reply);
  });
  server.get('/left', ({ raw }) => {
    const source = new PassThrough();
    setImmediate(() => {
      // As when the client resets the connection: its source ends before the request itself is told.
      raw.socket.destroy();
      source.destroy();
    });
    ended = new Promise((resolve) => source.once('close', resolve));
    return source;
  });
  server.get('/broken', () => {
    const broken = new Readable({ read: () => undefined });
    setImmediate(() => broken.destroy());
    return broken;
  });
  url = await listen(server);
});

afterEach(async () => {
  clients.leave();
  await server.close();
});

it('a client that leaves before its answer begins is no fault', async () => {
  const log = await logOf(async () => {
    await clients.ask('/left');
    await eventually(() => ended !== undefined);
    await ended;
    await aMoment();
  });
  expect(log).toEqual([]);
});

it('a source that ends too early is one', async () => {
  const log = await logOf(async () => {
    expect((await fetch(`${url}/broken`)).status).toBe(500);
  });
  expect(log).toEqual([expect.stringContaining('Premature close')]);
});
