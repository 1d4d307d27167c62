import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { dropSlowReaders } from '../../src/http/slow-readers.js';
import { eventually } from '../support/eventually.js';

const LARGE = 'x'.repeat(32 * 1024 * 1024);

let server: FastifyInstance;
let port: number;

beforeEach(async () => {
  server = fastify();
  dropSlowReaders(server, 1000);
  server.get('/large', () => LARGE);
  await server.listen({ port: 0, host: '127.0.0.1' });
  ({ port } = server.server.address() as AddressInfo);
});

afterEach(async () => {
  await server.close();
});

function connections(): Promise<number> {
  return new Promise((resolve, reject) => {
    server.server.getConnections((error, count) => {
      if (error === null) resolve(count);
      else reject(error);
    });
  });
}

it('ends the connection of a client that does not take a large answer', async () => {
  const socket = connect(port, '127.0.0.1').pause();
  socket.on('error', () => undefined);
  socket.write('GET /large HTTP/1.1\r\nhost: x\r\n\r\n');
  await eventually(async () => (await connections()) === 1);
  await eventually(async () => (await connections()) === 0);
  socket.destroy();
});

it('leaves a client alone that takes it, and its connection too', async () => {
  const answer = await fetch(`http://127.0.0.1:${String(port)}/large`);
  expect((await answer.text()).length).toBe(LARGE.length);
  await new Promise((resolve) => setTimeout(resolve, 1100));
  expect(await connections()).toBe(1);
});
