import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../src/kernel/json.js';
import {
  BINDINGS,
  jsonRpc,
  taskIdOf,
  type Binding,
  type Reply,
} from '../a2a/transports/support/bindings.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { deployment, scripted } from './support/deployment.js';
import { journalOf, recordedIn } from './support/recorded.js';
import { playing } from './support/script.js';

let service: InProcessService;
let alice: string;
let bob: string;
let count = 0;

beforeAll(async () => {
  const manifests = [scripted('play')];
  const deployed = await deployment(
    { one: manifests, other: manifests },
    { A2A_ANONYMOUS: 'secret' },
  );
  service = await startTestService(deployed);
  alice = await service.token({ principal: 'alice', scopes: [] });
  bob = await service.token({ principal: 'bob', scopes: [] });
});

afterAll(async () => {
  await service.dispose();
});

const journal = () => join(service.folder, `journal-${String(count++)}`);

function send(
  params: JsonObject,
  token: string | undefined = alice,
  binding: Binding = jsonRpc,
  agent: 'one' | 'other' = 'one',
): Promise<Reply> {
  return binding.call(`${service.url}/a2a/${agent}`, 'SendMessage', params, { token });
}

describe('one message id', () => {
  it('is one task and one run, though it comes twenty times at once over both bindings', async () => {
    const file = journal();
    const params = playing(['working', { wait: 100 }, { say: 'x' }, 'completed'], {
      journal: file,
    });
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => send(params, alice, BINDINGS[index % 2])),
    );
    expect(new Set(replies.map(taskIdOf)).size).toBe(1);
    for (const { result } of replies) {
      expect(result).toMatchObject({
        task: { status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{ artifactId: 'x' }] },
      });
    }
    expect(journalOf(file).map((line) => line.split(' ')[0])).toEqual(['began', 'ended']);
  });

  it('is one task for streams, too', async () => {
    const file = journal();
    const params = playing(['working', { say: 'x' }, 'completed'], { journal: file });
    const url = `${service.url}/a2a/one`;
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (BINDINGS[index % 2] ?? jsonRpc).call(url, 'SendStreamingMessage', params, {
          token: alice,
        }),
      ),
    );
    expect(new Set(replies.map(taskIdOf)).size).toBe(1);
    expect(journalOf(file)).toHaveLength(2);
  });

  it('gives the first task again after its end, and after a restart', async () => {
    const file = journal();
    const params = playing([{ say: 'x' }, 'completed'], { journal: file });
    const before = (await send(params)).result;
    expect((await send(params)).result).toEqual(before);
    await service.restart();
    expect((await send(params)).result).toEqual(before);
    expect(journalOf(file)).toHaveLength(2);
  });

  it.each(BINDINGS)('is refused with other content ($name)', async (binding) => {
    const file = journal();
    const params = playing(['completed'], { journal: file });
    await send(params);
    const { messageId } = params['message'] as { messageId: string };
    const replies = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        send(playing(['failed', { wait: index }], { journal: file, messageId }), alice, binding),
      ),
    );
    for (const { error } of replies) {
      expect(error).toMatchObject({
        reason: 'MESSAGE_ID_REUSED',
        violations: [{ field: '/message/messageId' }],
      });
    }
    expect(journalOf(file)).toHaveLength(2);
  });

  it('refuses all but one content when several come at once', async () => {
    const file = journal();
    const messageId = 'contended';
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        send(playing([{ say: String(index) }], { journal: file, messageId })),
      ),
    );
    expect(replies.filter(({ result }) => result !== undefined)).toHaveLength(1);
    const reasons = replies.flatMap(({ error }) => error?.reason ?? []);
    expect(reasons).toEqual(Array.from({ length: 11 }, () => 'MESSAGE_ID_REUSED'));
    expect(journalOf(file)).toHaveLength(2);
  });

  it('of another principal, tenant, agent or nobody is another message, of which nothing is seen', async () => {
    const messageId = 'everybodys';
    const steps = [{ say: 'x' }, 'completed'] as const;
    const elsewhere = await service.token({ principal: 'alice', tenant: 'elsewhere', scopes: [] });
    const bound = await service.token({ principal: 'alice', agent: 'bound', scopes: [] });
    const replies = [
      await send(playing(steps, { messageId })),
      await send(playing(steps, { messageId }), bob),
      await send(playing(steps, { messageId }), elsewhere),
      await send(playing(steps, { messageId }), bound),
      await send(playing(steps, { messageId }), alice, jsonRpc, 'other'),
      await anonymously(playing(steps, { messageId })),
      await anonymously(playing(steps, { messageId })),
    ];
    const ids = replies.map(taskIdOf);
    expect(new Set(ids).size).toBe(ids.length);
    const owners = [alice, bob, elsewhere, bound];
    for (const [index, token] of owners.entries()) {
      const listed = await jsonRpc.call(`${service.url}/a2a/one`, 'ListTasks', {}, { token });
      expect(ids.filter((id) => listed.text.includes(id))).toEqual([ids[index]]);
    }
  });

  it('left one task for every message in the store, and one invocation in the log', async () => {
    const submitted = (await recordedIn(service.folder, 'tasks.db')).filter(
      ({ type }) => type === 'task-submitted',
    );
    const admitted = (await recordedIn(service.folder, 'events.db')).filter(
      ({ type }) => type === 'invocation-admitted',
    );
    expect(admitted).toHaveLength(submitted.length);
    const ids = admitted.map(({ data }) => data['taskId']);
    expect(new Set(ids).size).toBe(admitted.length);
  });
});

async function anonymously(params: JsonObject): Promise<Reply> {
  return jsonRpc.call(`${service.url}/a2a/one`, 'SendMessage', params);
}
