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
  const headers = ['authorization: Bearer alice', 'a2a-version: 1.0'];
  for (let nth = 0; nth < 3; nth += 1) await clients.ask(`/a2a/${AGENT}/tasks/${id}`, headers);
});

afterEach(async () => {
  clients.leave();
  await server.close();
});

describe.each(BINDINGS)('over $name', (binding) => {
  it('refuses whoever leaves large answers unread more of them, in its own form', async () => {
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
});
