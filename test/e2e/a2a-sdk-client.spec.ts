import { randomUUID } from 'node:crypto';
import {
  AgentCard,
  ListTasksRequest,
  ListTasksResponse,
  Message,
  SendMessageRequest,
  StreamResponse,
  Task,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sdkClient } from '../a2a/transports/support/sdk-client.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { deployment, scripted } from './support/deployment.js';
import { playing, type Step } from './support/script.js';

const AGENT = 'studio';
const UNKNOWN = '2f0d2c2a-8f5e-4c55-9d0c-6e5d1f1f0a11';
const BINDINGS = ['JSONRPC', 'HTTP+JSON'] as const;

/** Everything that one client was told, in the order in which it asked. */
type Transcript = readonly (readonly [what: string, said: unknown])[];

let service: InProcessService;
const transcripts = new Map<string, Transcript>();

beforeAll(async () => {
  const extended = { visibility: 'extended', requires_scopes: ['studio.play'] };
  const { folder, env } = await deployment(
    { [AGENT]: [scripted('play', extended)] },
    { ALLOW_LOOPBACK_WEBHOOKS: '1' },
  );
  service = await startTestService({ folder, env });
  await Promise.all(
    BINDINGS.map(async (binding) => transcripts.set(binding, await everyOperation(binding))),
  );
});

afterAll(async () => {
  await service.dispose();
});

/** Plays every operation of A2A v1.0 section 5.3, good and bad, as a principal of its own. */
async function everyOperation(binding: (typeof BINDINGS)[number]): Promise<Transcript> {
  const principal = `player-${randomUUID()}`;
  const token = await service.token({ principal, scopes: ['studio.play'] });
  const client = await sdkClient(`${service.url}/a2a/${AGENT}`, binding, { token });
  const transcript: [string, unknown][] = [];
  const ask = async <T>(what: string, asked: Promise<T>, json: (value: T) => unknown) => {
    const said = await asked.then(json, (error: unknown) => errorOf(error));
    transcript.push([what, said]);
  };
  const send = async (what: string, steps: readonly Step[], more = {}, configuration = {}) => {
    const request = SendMessageRequest.fromJSON({ ...playing(steps, more), configuration });
    let id = '';
    await ask(what, client.sendMessage(request), (answer) => {
      if (!('status' in answer)) return Message.toJSON(answer);
      id = answer.id;
      return Task.toJSON(answer);
    });
    return id;
  };
  const task = { tenant: '' };

  const done = await send('SendMessage', ['working', { say: 'a' }, 'completed']);
  await send('SendMessage: a message', [{ answer: 'no task' }]);
  await send('SendMessage: no history', ['completed'], {}, { historyLength: 0 });
  await send('SendMessage: to a task that ended', ['completed'], { taskId: done });
  await send('SendMessage: to no task', ['completed'], { taskId: UNKNOWN });
  await send('SendMessage: no output', ['completed'], {}, { acceptedOutputModes: ['image/png'] });
  const asked = await send('SendMessage: asks', ['input-required']);
  await send('SendMessage: answers', ['failed'], { taskId: asked });
  await ask(
    'SendStreamingMessage',
    collect(
      client.sendMessageStream(
        SendMessageRequest.fromJSON(playing(['working', { say: 'b' }, { say: 'c' }, 'rejected'])),
      ),
    ),
    same,
  );
  await ask('GetTask', client.getTask({ ...task, id: done }), Task.toJSON);
  await ask('GetTask: unknown', client.getTask({ ...task, id: UNKNOWN }), Task.toJSON);
  const page = ListTasksRequest.fromJSON({ pageSize: 2, includeArtifacts: true });
  let next = '';
  await ask('ListTasks', client.listTasks(page), (listed) => {
    next = listed.nextPageToken;
    return { ...listedJson(listed), nextPageToken: next === '' ? 'the end' : 'more' };
  });
  const rest = { ...page, pageSize: 100, pageToken: next, includeArtifacts: false };
  await ask('ListTasks: the rest', client.listTasks(rest), listedJson);
  await ask('ListTasks: bad', client.listTasks({ ...page, pageToken: 'x' }), listedJson);

  const live = await send(
    'SendMessage: at once',
    ['working', { wait: 30_000 }],
    {},
    {
      returnImmediately: true,
    },
  );
  const config = TaskPushNotificationConfig.fromJSON({
    taskId: live,
    id: 'c-1',
    url: 'http://127.0.0.1:4949/hook?x=1',
    token: 't',
    authentication: { scheme: 'Bearer', credentials: 'secret' },
  });
  const named = { ...task, taskId: live, id: 'c-1' };
  const configs = { ...task, taskId: live, pageSize: 10, pageToken: '' };
  const { toJSON } = TaskPushNotificationConfig;
  const list = () => client.listTaskPushNotificationConfig(configs);
  await ask('Create…Config', client.createTaskPushNotificationConfig(config), toJSON);
  const nowhere = { ...config, url: 'nowhere' };
  await ask('Create…Config: bad', client.createTaskPushNotificationConfig(nowhere), toJSON);
  await ask('Get…Config', client.getTaskPushNotificationConfig(named), toJSON);
  await ask('List…Configs', list(), ({ configs: all }) => all.map(toJSON));
  await ask('Delete…Config', client.deleteTaskPushNotificationConfig(named), () => 'gone');
  await ask('Get…Config: gone', client.getTaskPushNotificationConfig(named), toJSON);
  await ask('List…Configs: none', list(), ({ configs: all }) => all.map(toJSON));

  const seen = collect(client.resubscribeTask({ ...task, id: live }), 'task');
  await ask('SubscribeToTask', seen, same);
  const cancel = (id: string) => client.cancelTask({ ...task, id, metadata: undefined });
  await ask('CancelTask', cancel(live), Task.toJSON);
  await ask('CancelTask: again', cancel(live), Task.toJSON);
  await ask('CancelTask: ended', cancel(done), Task.toJSON);
  await ask('SubscribeToTask: ended', collect(client.resubscribeTask({ ...task, id: live })), same);
  await ask('GetExtendedAgentCard', extendedCard(client), AgentCard.toJSON);
  return normalized(transcript);
}

describe.each(BINDINGS)('the official client over %s', (binding) => {
  const said = (what: string): unknown =>
    transcripts.get(binding)?.find(([asked]) => asked === what)?.[1];
  const state = (of: string) => ({ status: { state: `TASK_STATE_${of}` } });

  it.each([
    ['SendMessage', state('COMPLETED')],
    ['SendMessage: a message', { role: 'ROLE_AGENT', parts: [{ text: 'no task' }] }],
    ['SendMessage: to a task that ended', { error: 'UnsupportedOperationError' }],
    ['SendMessage: to no task', { error: 'TaskNotFoundError' }],
    ['SendMessage: no output', { error: 'ContentTypeNotSupportedError' }],
    ['SendMessage: asks', state('INPUT_REQUIRED')],
    ['SendMessage: answers', state('FAILED')],
    ['GetTask', { ...state('COMPLETED'), artifacts: [{ artifactId: 'a' }] }],
    ['GetTask: unknown', { error: 'TaskNotFoundError' }],
    ['ListTasks', { pageSize: 2, totalSize: 4, nextPageToken: 'more' }],
    ['ListTasks: bad', { error: 'other' }],
    ['Create…Config', { id: 'c-1', url: 'http://127.0.0.1:4949/hook?x=1' }],
    ['Create…Config: bad', { error: 'other' }],
    ['Get…Config', { id: 'c-1', token: 't', authentication: { credentials: 'secret' } }],
    ['List…Configs', [{ id: 'c-1' }]],
    ['Delete…Config', 'gone'],
    ['List…Configs: none', []],
    ['CancelTask', state('CANCELED')],
    ['CancelTask: again', state('CANCELED')],
    ['CancelTask: ended', { error: 'TaskNotCancelableError' }],
    ['SubscribeToTask: ended', { error: 'UnsupportedOperationError' }],
    ['GetExtendedAgentCard', { name: 'Agent under test', skills: [{ id: 'play' }] }],
  ])('%s', (what, expected) => {
    expect([said(what)]).toMatchObject([expected]);
  });

  it('SendStreamingMessage', () => {
    const kinds = (said('SendStreamingMessage') as object[]).map((event) => Object.keys(event)[0]);
    expect(kinds).toEqual(
      expect.arrayContaining(['task', 'artifactUpdate', 'artifactUpdate', 'statusUpdate']),
    );
    expect(kinds[0]).toBe('task');
    expect((said('SendStreamingMessage') as object[]).at(-1)).toMatchObject({
      statusUpdate: state('REJECTED'),
    });
  });

  it('SubscribeToTask', () => {
    expect(said('SubscribeToTask')).toMatchObject([{ task: state('WORKING') }]);
  });
});

it('is told the same over both bindings', () => {
  expect(transcripts.get('HTTP+JSON')).toEqual(transcripts.get('JSONRPC'));
});

async function extendedCard(client: Client): Promise<AgentCard> {
  return client.getAgentCard();
}

/** @param until leaves the stream after the first event of this kind */
async function collect(
  events: AsyncIterable<StreamResponse>,
  until?: string,
): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  for await (const event of events) {
    seen.push(StreamResponse.toJSON(event));
    if (event.payload?.$case === until) break;
  }
  return seen;
}

function same<T>(value: T): T {
  return value;
}

function listedJson(listed: ListTasksResponse): Record<string, unknown> {
  return ListTasksResponse.toJSON(listed) as Record<string, unknown>;
}

/**
 * What the client throws: A2A's name for it, and the words of the service. For a reason of a domain
 * that is not A2A's it has names in one binding alone.
 */
function errorOf(error: unknown): unknown {
  const { constructor, message } = error as Error;
  const name = constructor.name.replace(/^(?:JsonRpc|Rest)/, '');
  return { error: /^(?:A2AErrorImpl|RequestMalformedError)$/.test(name) ? 'other' : name, message };
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** The same but for what is different in every run: ids are named by the order in which they come. */
function normalized(transcript: Transcript): Transcript {
  const names = new Map<string, string>();
  const named = (id: string): string => {
    if (!names.has(id)) names.set(id, `id-${String(names.size)}`);
    return names.get(id) ?? id;
  };
  const text = JSON.stringify(transcript)
    .replaceAll(/script-\d+-\d+/g, named)
    .replaceAll(UUID, named)
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'then')
    .replaceAll(/"pageToken":"[^"]*"/g, '"pageToken":"p"');
  return JSON.parse(text) as Transcript;
}
