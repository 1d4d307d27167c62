import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../src/kernel/json.js';
import { eventually } from '../../support/eventually.js';
import { logOf } from '../../support/captured-log.js';
import { rawRequest } from '../../support/raw-http.js';
import {
  AGENT,
  startA2aServer,
  type A2aServerOptions,
  type A2aTestServer,
} from './support/a2a-server.js';
import { BINDINGS, jsonRpc, saying, taskIdOf } from './support/bindings.js';
import { SECRET } from './support/memory-messages.js';

const OWNER = { kind: 'principal', tenant: 'acme', principal: 'alice', agent: null } as const;
const TOKEN = { token: 'alice' };

describe('event streams', () => {
  let server: A2aTestServer;

  async function start(options: A2aServerOptions = {}): Promise<void> {
    server = await startA2aServer(options);
  }

  afterEach(async () => {
    await server.close();
  });

  function liveTask(): string {
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] } as const;
    const { id } = server.tasks.begin(OWNER, AGENT, message).task;
    server.tasks.status(id, 'TASK_STATE_WORKING');
    return id;
  }

  /** A socket that has asked for a stream; it reads only when told to. */
  async function subscribe(
    id: string,
    lines: readonly string[] = [],
    token = 'alice',
  ): Promise<Socket> {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    // A node that stops may reset what is still open.
    socket.on('error', () => undefined);
    const headers = [`authorization: Bearer ${token}`, 'a2a-version: 1.0', ...lines];
    socket.write(rawRequest('GET', `/a2a/${AGENT}/tasks/${id}:subscribe`, headers));
    return Promise.resolve(socket);
  }

  describe.each(BINDINGS)('over $name', (binding) => {
    it('has the headers that streams need', async () => {
      await start();
      const reply = await binding.call(server.agentUrl, 'SendStreamingMessage', saying('x'));
      expect(reply.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      expect(reply.headers.get('cache-control')).toBe('no-store, no-transform');
      expect(reply.headers.get('x-accel-buffering')).toBe('no');
      expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
      expect(reply.headers.get('x-correlation-id')).not.toBeNull();
    });

    it('names each event by its revision', async () => {
      await start();
      const { events } = await binding.call(server.agentUrl, 'SendStreamingMessage', saying('x'));
      expect(events?.map(({ id }) => id)).toEqual(['0', '1', '2', '3']);
    });

    it.each([0, 1, 2, 3, 4])('goes on after event %i, each once', async (seen) => {
      await start();
      const id = liveTask();
      server.tasks.artifact(id, 'a');
      server.tasks.artifact(id, 'b');
      server.tasks.status(id, 'TASK_STATE_COMPLETED');
      const headers = { 'last-event-id': String(seen) };
      const ask = { ...TOKEN, headers };
      const { events } = await binding.call(server.agentUrl, 'SubscribeToTask', { id }, ask);
      expect(events?.map((event) => event.id)).toEqual(['1', '2', '3', '4'].slice(seen));
    });

    it('goes on when a message is sent again to a known task', async () => {
      await start();
      const id = liveTask();
      server.tasks.status(id, 'TASK_STATE_INPUT_REQUIRED');
      const ask = { ...TOKEN, headers: { 'last-event-id': '1' } };
      const again = saying('x', { taskId: id });
      const { events } = await binding.call(server.agentUrl, 'SendStreamingMessage', again, ask);
      expect(events?.map((event) => event.id)).toEqual(['2', '3', '4', '5']);
    });

    it('takes no notice of an id that it never gave', async () => {
      await start();
      const ask = { ...TOKEN, headers: { 'last-event-id': 'abc' }, take: 1 };
      const { events } = await binding.call(
        server.agentUrl,
        'SubscribeToTask',
        { id: liveTask() },
        ask,
      );
      expect(events?.[0]?.response).toHaveProperty('task');
    });

    it('ends with an error of its form when the source fails', async () => {
      await start();
      const log = await logOf(async () => {
        const reply = await binding.call(
          server.agentUrl,
          'SendStreamingMessage',
          saying('late fault'),
        );
        expect(reply.events).toHaveLength(1);
        expect(reply.error).toMatchObject({
          reason: 'INTERNAL_ERROR',
          code: binding === jsonRpc ? -32603 : 'INTERNAL',
          metadata: { correlationId: reply.headers.get('x-correlation-id') },
        });
        expect(reply.text).not.toMatch(/SQLITE|secret|\.ts\b|at \//);
        expect(reply.text.includes('event: error')).toBe(binding !== jsonRpc);
      });
      expect(log.join('')).toContain(SECRET);
    });

    it('refuses before it begins as any other operation', async () => {
      await start();
      const reply = await binding.call(server.agentUrl, 'SendStreamingMessage', saying('refuse'));
      expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
      expect(reply.status).toBe(binding === jsonRpc ? 200 : 400);
      expect(reply.error?.metadata).toEqual({ code: 'no-skill-takes-it', mediaType: 'text/plain' });
    });

    it('is served to so many at once', async () => {
      await start({ streams: { perNode: 2, perTenant: 2, perOwner: 1 } });
      const call = async (token: string) =>
        binding.call(server.agentUrl, 'SendStreamingMessage', saying('wait'), { token, take: 1 });
      const sockets = [await subscribe(liveTask())];
      await eventually(() => server.tasks.watching === 1);
      const refused = await call('alice');
      expect([refused.status, refused.error?.reason]).toEqual([503, 'TOO_MANY_STREAMS']);
      expect(refused.headers.get('retry-after')).toBe('1');
      expect((await call('bob')).events).toHaveLength(1);
      for (const socket of sockets) socket.destroy();
      await eventually(() => server.tasks.watching === 0);
      expect((await call('alice')).events).toHaveLength(1);
    });
  });

  it('leaves other tenants their part of the streams, whatever callers one tenant has', async () => {
    await start({ streams: { perNode: 6, perTenant: 4, perOwner: 2 } });
    const open = async (token: string): Promise<string | undefined> => {
      const ask = { token, take: 1 };
      const said = await jsonRpc.call(server.agentUrl, 'SendStreamingMessage', saying('wait'), ask);
      return said.error?.reason;
    };
    const sockets: Socket[] = [];
    for (const name of ['a', 'b', 'c', 'd']) {
      const token = `${name}_at_evil`;
      const owner = { kind: 'principal', tenant: 'evil', principal: token, agent: null } as const;
      const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] } as const;
      const { id } = server.tasks.begin(owner, AGENT, message).task;
      sockets.push(await subscribe(id, [], token), await subscribe(id, [], token));
    }
    await eventually(() => server.tasks.watching === 4);
    expect(await open('e_at_evil')).toBe('TOO_MANY_STREAMS');
    expect(await open('alice')).toBeUndefined();
    for (const socket of sockets) socket.destroy();
    await eventually(() => server.tasks.watching === 0);
    expect(await open('e_at_evil')).toBeUndefined();
  });

  it('sends the head at once, and comments into the silence', async () => {
    await start({ timing: { keepAliveMs: 20, stallMs: 1000 } });
    const socket = await subscribe(liveTask(), ['last-event-id: 1']);
    let received = '';
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    await eventually(() => received.includes(': keep-alive\n\n'));
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(received).not.toContain('data:');
    socket.destroy();
  });

  it('ends its source when the client is gone', async () => {
    await start();
    const socket = await subscribe(liveTask());
    await eventually(() => server.tasks.watching === 1);
    socket.destroy();
    await eventually(() => server.tasks.watching === 0);
  });

  it('asks for no more than a slow client takes, and cuts off one that takes nothing', async () => {
    await start({ timing: { keepAliveMs: 5, stallMs: 500 } });
    const id = liveTask();
    const text = 'x'.repeat(256 * 1024);
    for (let count = 0; count < 100; count++) server.tasks.artifact(id, text);
    const watch = server.tasks.watch.bind(server.tasks);
    let asked = 0;
    server.tasks.watch = async function* (...args) {
      for await (const event of watch(...args)) {
        asked++;
        yield event;
      }
      return undefined;
    };
    const socket = await subscribe(id, ['last-event-id: 0']);
    socket.pause();
    await eventually(() => asked > 1);
    await eventually(() => server.tasks.watching === 0);
    // What the buffers of both sockets hold, and no more.
    expect(asked).toBeLessThan(80);
    socket.destroy();
  });

  it('ends when the node stops, which does not wait for it', async () => {
    await start();
    const socket = await subscribe(liveTask());
    let received = '';
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    await eventually(() => received.includes('data:'));
    const began = Date.now();
    await server.close();
    expect(Date.now() - began).toBeLessThan(800);
    await eventually(() => received.endsWith('0\r\n\r\n'));
    await start();
  });

  it('is one JSON-RPC response after another', async () => {
    await start();
    const { text } = await jsonRpc.call(server.agentUrl, 'SendStreamingMessage', saying('x'));
    const data = [...text.matchAll(/^data: (.*)$/gm)].map(
      ([, line = '']) => JSON.parse(line) as JsonObject,
    );
    expect(data.map(({ jsonrpc, id }) => [jsonrpc, id])).toEqual(data.map(() => ['2.0', 'r-1']));
  });

  it('shows a task that it started', async () => {
    await start();
    const reply = await jsonRpc.call(server.agentUrl, 'SendStreamingMessage', saying('x'), TOKEN);
    const id = taskIdOf(reply);
    const got = await jsonRpc.call(server.agentUrl, 'GetTask', { id }, TOKEN);
    expect(got.result).toMatchObject({ id, status: { state: 'TASK_STATE_COMPLETED' } });
  });
});
