import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it } from '@jest/globals';
import { sendLines } from '../../src/http/ndjson.js';
import { eventually } from '../support/eventually.js';
import { rawRequest, sendRaw } from '../support/raw-http.js';

const LAST_CHUNK = /0\r\n\r\n$/;

let server: FastifyInstance | undefined;

afterEach(async () => {
  server?.server.closeAllConnections();
  await server?.close();
});

/** A server that answers with these lines; what the answering threw is noted. */
async function serving(
  lines: () => AsyncIterable<string>,
  signal: AbortSignal = new AbortController().signal,
): Promise<{ readonly url: string; readonly thrown: unknown[] }> {
  const thrown: unknown[] = [];
  server = Fastify();
  server.get('/', async (_request, reply) => {
    await sendLines(reply, lines(), signal, 200).catch((error: unknown) => thrown.push(error));
  });
  return { url: await server.listen({ port: 0, host: '127.0.0.1' }), thrown };
}

const get = rawRequest('GET', '/', []);

describe('lines of JSON', () => {
  it('end as HTTP says', async () => {
    const { url } = await serving(async function* () {
      yield '{"a":1}\n{"a":2}\n';
      await delay(1);
      yield '';
      yield '{"a":3}\n';
    });
    expect(await (await fetch(url)).text()).toBe('{"a":1}\n{"a":2}\n{"a":3}\n');
    expect((await sendRaw(url, get)).body).toMatch(LAST_CHUNK);
  });

  // Nothing that an intermediary could take for the end of an answer that has no other.
  it.each(['HTTP/1.1', 'HTTP/1.0'])(
    'break off where their source fails, to %s',
    async (version) => {
      const { url, thrown } = await serving(async function* () {
        yield '{"a":1}\n';
        await delay(20);
        throw new Error('the disk is gone');
      });
      const request = get.toString().replace('HTTP/1.1', version);
      await expect(sendRaw(url, request)).rejects.toThrow('ECONNRESET');
      expect(thrown).toEqual([new Error('the disk is gone')]);
      await expect((async () => (await fetch(url)).text())()).rejects.toThrow();
    },
  );

  it('break off where they are cut', async () => {
    const cut = new AbortController();
    const { url, thrown } = await serving(async function* () {
      yield '{"a":1}\n';
      await delay(20);
      cut.abort();
    }, cut.signal);
    await expect(sendRaw(url, get)).rejects.toThrow('ECONNRESET');
    expect(thrown).toEqual([]);
  });

  it('are made only as fast as they are read; who reads nothing is cut off', async () => {
    let made = 0;
    const gone = new AbortController();
    const { url } = await serving(async function* () {
      for (; made < 2_000 && !gone.signal.aborted; made++) {
        yield `${'x'.repeat(100_000)}\n`;
        await delay(0);
      }
    }, gone.signal);
    server!.server.on('connection', (socket) => {
      socket.on('close', () => {
        gone.abort();
      });
    });
    const { hostname, port } = new URL(url);
    const idle = connect(Number(port), hostname);
    idle.on('error', () => undefined);
    idle.pause();
    idle.write(get);
    await eventually(() => gone.signal.aborted);
    expect(made).toBeLessThan(500);
    idle.destroy();
  });
});
