import {
  ListTasksRequest,
  Role,
  SendMessageRequest,
  TaskPushNotificationConfig,
  TaskState,
  type StreamResponse,
  type Task,
} from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import {
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../src/kernel/json.js';
import { AGENT, startA2aServer, type A2aTestServer } from './support/a2a-server.js';
import { saying } from './support/bindings.js';
import { sdkClient } from './support/sdk-client.js';

const UNKNOWN = '2f0d2c2a-8f5e-4c55-9d0c-6e5d1f1f0a11';

describe.each([
  ['JSONRPC', ''],
  ['HTTP+JSON', ''],
  ['JSONRPC', AGENT],
  ['HTTP+JSON', AGENT],
] as const)('the official client over %s with tenant "%s"', (binding, tenant) => {
  let server: A2aTestServer;
  let client: Client;

  beforeAll(async () => {
    server = await startA2aServer();
    client = await sdkClient(server.agentUrl, binding, { token: 'alice', tenant });
  });

  afterAll(async () => {
    await server.close();
  });

  const message = (text: string, more: JsonObject = {}, configuration?: JsonObject) =>
    SendMessageRequest.fromJSON({ ...saying(text, more), configuration });

  async function task(text: string): Promise<Task> {
    const result = await client.sendMessage(message(text));
    if (!('status' in result)) throw new Error('a message');
    return result;
  }

  it('sends a message and gets a task', async () => {
    const { status, artifacts, history } = await task('hello');
    expect(status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(artifacts[0]?.parts[0]?.content).toEqual({ $case: 'text', value: 'hello' });
    expect(history).toHaveLength(1);
    expect(server.messages.received.at(-1)?.request.caller?.principal).toBe('alice');
  });

  it('sends a message and gets a message', async () => {
    expect(await client.sendMessage(message('message'))).toMatchObject({ role: Role.ROLE_AGENT });
  });

  it('hands every kind of part on as it was sent', async () => {
    const parts = [
      { text: 'x', metadata: { a: 1 } },
      {
        raw: Buffer.from('%PDF-1.7').toString('base64'),
        mediaType: 'application/pdf',
        filename: 'a.pdf',
      },
      { url: 'https://files.example.com/a.pdf', mediaType: 'application/pdf' },
      { data: { invoice: [1, null] } },
    ];
    await client.sendMessage(message('', { parts }));
    expect(server.messages.received.at(-1)?.params.message.parts).toEqual(parts);
  });

  it('asks for no history', async () => {
    const configured = message('hello', {}, { historyLength: 0, acceptedOutputModes: ['text/*'] });
    expect(await client.sendMessage(configured)).toMatchObject({ history: [] });
    expect(server.messages.received.at(-1)?.params.configuration).toEqual({
      historyLength: 0,
      acceptedOutputModes: ['text/*'],
    });
  });

  it('streams a task to its end', async () => {
    const cases = await collect(client.sendMessageStream(message('streamed')));
    expect(cases).toEqual(['task', 'statusUpdate', 'artifactUpdate', 'statusUpdate']);
  });

  it('gets a task, and only its newest messages', async () => {
    const { id } = await task('hello');
    expect((await client.getTask({ id, tenant: '' })).history).toHaveLength(1);
    expect((await client.getTask({ id, tenant: '', historyLength: 0 })).history).toHaveLength(0);
    await expect(client.getTask({ id: UNKNOWN, tenant: '' })).rejects.toThrow(TaskNotFoundError);
  });

  it('lists tasks by page, state and context', async () => {
    const ids = [(await task('wait')).id, (await task('wait')).id];
    const working = ListTasksRequest.fromJSON({ status: 'TASK_STATE_WORKING', pageSize: 1 });
    const first = await client.listTasks(working);
    const rest = await client.listTasks({ ...working, pageToken: first.nextPageToken });
    expect([...first.tasks, ...rest.tasks].map(({ id }) => id)).toEqual(ids);
    expect([first.totalSize, rest.nextPageToken]).toEqual([2, '']);
    const completed = { status: 'TASK_STATE_COMPLETED', includeArtifacts: true };
    const shown = await client.listTasks(ListTasksRequest.fromJSON(completed));
    expect(shown.tasks.every(({ artifacts }) => artifacts.length > 0)).toBe(true);
    for (const id of ids) await client.cancelTask({ id, tenant: '', metadata: undefined });
  });

  it('cancels a task, once and again, but none that has ended', async () => {
    const { id } = await task('wait');
    const cancel = async (which: string): Promise<Task> =>
      client.cancelTask({ id: which, tenant: '', metadata: undefined });
    expect((await cancel(id)).status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    expect((await cancel(id)).status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    await expect(cancel((await task('done')).id)).rejects.toThrow(TaskNotCancelableError);
  });

  it('subscribes to a live task only', async () => {
    const { id } = await task('wait');
    const seen = collect(client.resubscribeTask({ id, tenant: '' }));
    await new Promise((resolve) => setTimeout(resolve, 50));
    server.tasks.artifact(id, 'x');
    server.tasks.status(id, 'TASK_STATE_COMPLETED');
    expect(await seen).toEqual(['task', 'artifactUpdate', 'statusUpdate']);
    await expect(collect(client.resubscribeTask({ id, tenant: '' }))).rejects.toThrow(
      UnsupportedOperationError,
    );
  });

  it('keeps push configurations', async () => {
    const taskId = (await task('wait')).id;
    const config = TaskPushNotificationConfig.fromJSON({
      taskId,
      id: 'c-1',
      url: 'https://hooks.example.com/a?b=c',
      token: 't-1',
      authentication: { scheme: 'Bearer', credentials: 'abc' },
    });
    const named = { taskId, id: 'c-1', tenant: '' };
    expect(await client.createTaskPushNotificationConfig(config)).toMatchObject({ id: 'c-1' });
    expect(await client.getTaskPushNotificationConfig(named)).toEqual(config);
    const page = { taskId, tenant: '', pageSize: 0, pageToken: '' };
    expect((await client.listTaskPushNotificationConfig(page)).configs).toEqual([config]);
    await client.deleteTaskPushNotificationConfig(named);
    await client.deleteTaskPushNotificationConfig(named);
    expect((await client.listTaskPushNotificationConfig(page)).configs).toEqual([]);
  });

  it('gets the extended card of its token', async () => {
    expect((await client.getAgentCard()).name).toBe('finance-agent for alice');
  });
});

async function collect(events: AsyncIterable<StreamResponse>): Promise<(string | undefined)[]> {
  const cases = [];
  for await (const { payload } of events) cases.push(payload?.$case);
  return cases;
}
