import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { UnreadClients } from '../../http/support/unread.js';
import { AGENT, startA2aServer, type A2aTestServer } from './support/a2a-server.js';
import { BINDINGS, jsonRpc, saying } from './support/bindings.js';

const OWNER = { kind: 'principal', tenant: 'acme', principal: 'alice', agent: null } as const;
const TOKEN = { token: 'alice' };
/** Of the 64 MiB that a caller may leave unread, three fit and a fourth does not. */
const TASK_BYTES = 20 * 1024 * 1024;

let server: A2aTestServer;
let clients: UnreadClients;
let id: string;

beforeEach(async () => {
  server = await startA2aServer();
  clients = new UnreadClients(() => server.url);
  const text = 'x'.repeat(TASK_BYTES);
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text }] } as const;
  id = server.tasks.begin(OWNER, AGENT, message).task.id;
});

const HEADERS = ['authorization: Bearer alice', 'a2a-version: 1.0'];

async function leaveUnread(count: number, verb = ''): Promise<void> {
  for (let nth = 0; nth < count; nth += 1) {
    await clients.ask(`/a2a/${AGENT}/tasks/${id}${verb}`, HEADERS);
  }
}

afterEach(async () => {
  clients.leave();
  await server.close();
});

describe.each(BINDINGS)('over $name', (binding) => {
  it('refuses whoever leaves large answers unread more of them, in its own form', async () => {
    await leaveUnread(3);
    const small = { id, historyLength: 0 };
    await eventually(async () => {
      const { status } = await binding.call(server.agentUrl, 'GetTask', { id }, TOKEN);
      return status === 503;
    });
    const refused = await binding.call(server.agentUrl, 'GetTask', { id }, TOKEN);
    expect(refused.error?.reason).toBe('TOO_MANY_STREAMS');
    expect(refused.headers.get('retry-after')).toBe('1');
    // Judged where the request is still known, before the text of the task is made.
    if (binding === jsonRpc) expect(JSON.parse(refused.text)).toHaveProperty('id', 'r-1');

    const answer = await binding.call(server.agentUrl, 'GetTask', small, TOKEN);
    expect(answer.result).toMatchObject({ id });
    const said = await binding.call(server.agentUrl, 'SendMessage', saying('x'), TOKEN);
    expect(said.error).toBeUndefined();

    clients.leave();
    await eventually(async () => {
      const { status } = await binding.call(server.agentUrl, 'GetTask', { id }, TOKEN);
      return status === 200;
    });
  });

  it('ends a stream whose large event has no room, in its own form; its client may come back', async () => {
    await leaveUnread(12, ':subscribe');
    await eventually(() => server.tasks.watching === 3);
    await eventually(async () => {
      const { status } = await binding.call(server.agentUrl, 'GetTask', { id }, TOKEN);
      return status === 503;
    });
    // What they are sent is one text, however many they are: a text of its own for each would be more.
    expect(process.memoryUsage().arrayBuffers).toBeLessThan(8 * TASK_BYTES);
    const ended = await binding.call(server.agentUrl, 'SubscribeToTask', { id }, TOKEN);
    expect([ended.events?.length, ended.error?.reason]).toEqual([0, 'TOO_MANY_STREAMS']);

    const begun = await binding.call(server.agentUrl, 'SendStreamingMessage', saying('x'), TOKEN);
    expect(begun.events?.length).toBeGreaterThan(1);

    clients.leave();
    await eventually(() => server.tasks.watching === 0);
    const again = { ...TOKEN, take: 1 };
    const { events } = await binding.call(server.agentUrl, 'SubscribeToTask', { id }, again);
    expect(events?.[0]?.response).toHaveProperty('task.id', id);
  });
});
