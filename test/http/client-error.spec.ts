import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { answerClientError, answerTunnels } from '../../src/http/client-error.js';
import { eventually } from '../support/eventually.js';

const BASE_URL = 'https://countersign.example';
const REQUEST = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';
const RUBBISH = 'hello\r\n\r\n';
const TUNNEL = 'CONNECT b:1 HTTP/1.1\r\nhost: b:1\r\n\r\n';

let server: Server;
let client: Socket;
let received = '';
const answers: ServerResponse[] = [];

beforeEach(async () => {
  received = '';
  answers.length = 0;
  server = createServer((_request, response) => {
    answers.push(response);
  });
  server.on('clientError', (error, socket) => {
    answerClientError(error, socket as Socket, BASE_URL);
  });
  answerTunnels(server, BASE_URL);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('data', (chunk: Buffer) => {
    received += chunk.toString();
  });
  client.on('error', () => undefined);
});

afterEach(async () => {
  client.destroy();
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
});

it.each([RUBBISH, TUNNEL])('writes nothing into an answer that has begun: %j', async (bytes) => {
  client.write(REQUEST);
  await eventually(() => answers.length === 1);
  answers[0]?.writeHead(200, { 'content-length': 10 }).write('12345');
  await eventually(() => received.endsWith('12345'));
  const closed = once(client, 'close');
  client.write(bytes);
  await closed;
  expect(received).toMatch(/^HTTP\/1\.1 200 [^]*12345$/);
});

it.each([
  [RUBBISH, 'http-malformed'],
  [TUNNEL, 'method-not-allowed'],
])('answers behind one that was sent whole: %j', async (bytes, code) => {
  client.write(REQUEST);
  await eventually(() => answers.length === 1);
  answers[0]?.end('whole');
  await eventually(() => received.endsWith('whole'));
  const closed = once(client, 'close');
  client.write(bytes);
  await closed;
  const [, second = ''] = received.split('whole');
  expect(second).toContain(`"code":"${code}"`);
});
