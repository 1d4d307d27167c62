import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import fastify, { type FastifyInstance } from 'fastify';
import { endUnusedConnections } from '../../src/http/unused-connections.js';

let server: FastifyInstance;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.close();
});

async function connected(): Promise<Socket> {
  const { port } = server.server.address() as { port: number };
  const socket = connect(port, '127.0.0.1');
  // Reset or ended, it is closed.
  socket.on('error', () => undefined).resume();
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

it('a server that closes waits for requests under way, and for no other connection', async () => {
  server = fastify();
  endUnusedConnections(server);
  let answer: (body: string) => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    server.get('/', async () => {
      resolve();
      return new Promise<string>((done) => (answer = done));
    });
  });
  await server.listen({ port: 0, host: '127.0.0.1' });
  const silent = await connected();
  const asking = await connected();
  const heard: string[] = [];
  asking.on('data', (chunk: Buffer) => heard.push(chunk.toString()));
  asking.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await asked;

  const ended = once(silent, 'close');
  const closed = server.close();
  await ended;
  answer('the answer');
  await closed;
  expect(heard.join('')).toContain('the answer');
});
