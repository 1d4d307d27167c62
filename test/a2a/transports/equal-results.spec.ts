import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OperationName } from '../../../src/a2a/transports/operations.js';
import type { JsonObject } from '../../../src/kernel/json.js';
import { AGENT, startA2aServer, type A2aTestServer } from './support/a2a-server.js';
import { httpJson, jsonRpc, saying } from './support/bindings.js';

const OWNER = { kind: 'principal', tenant: 'acme', principal: 'alice', agent: null } as const;
const TOKEN = { token: 'alice' };

describe('both bindings', () => {
  let server: A2aTestServer;
  let id: string;

  beforeAll(async () => {
    server = await startA2aServer();
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ data: null }] } as const;
    id = server.tasks.begin(OWNER, AGENT, message).task.id;
    server.tasks.artifact(id, 'x');
    server.tasks.status(id, 'TASK_STATE_COMPLETED');
    const config = { taskId: id, id: 'c-1', url: 'https://hooks.example.com/' };
    await jsonRpc.call(server.agentUrl, 'CreateTaskPushNotificationConfig', config, TOKEN);
  });

  afterAll(async () => {
    await server.close();
  });

  it.each<[OperationName, (id: string) => JsonObject]>([
    ['GetTask', (id) => ({ id })],
    ['GetTask', (id) => ({ id, historyLength: 0 })],
    ['GetTask', (id) => ({ id, historyLength: -1 })],
    ['GetTask', () => ({ id: 'unknown' })],
    ['ListTasks', () => ({ includeArtifacts: true, pageSize: 1 })],
    ['ListTasks', () => ({ pageSize: 1000, status: 'x', statusTimestampAfter: 'x' })],
    ['CancelTask', (id) => ({ id })],
    ['SubscribeToTask', (id) => ({ id })],
    ['SendMessage', (taskId) => saying('x', { taskId })],
    ['SendMessage', () => ({ message: { parts: [{}, { text: 1, url: 2 }] }, configuration: 1 })],
    ['SendMessage', () => saying('refuse')],
    ['SendStreamingMessage', () => ({})],
    ['GetTaskPushNotificationConfig', (taskId) => ({ taskId, id: 'c-1' })],
    ['GetTaskPushNotificationConfig', (taskId) => ({ taskId, id: 'c-2' })],
    ['ListTaskPushNotificationConfigs', (taskId) => ({ taskId })],
    ['ListTaskPushNotificationConfigs', (taskId) => ({ taskId, pageSize: 101 })],
    ['CreateTaskPushNotificationConfig', (taskId) => ({ taskId, url: 'nowhere' })],
    ['DeleteTaskPushNotificationConfig', (taskId) => ({ taskId, id: 'c-3' })],
    ['GetExtendedAgentCard', () => ({})],
  ])('answer %s with the same', async (operation, params) => {
    const [rpc, http] = [jsonRpc, httpJson].map(async (binding) => {
      const { result, error } = await binding.call(server.agentUrl, operation, params(id), TOKEN);
      return { result, error: error === undefined ? undefined : { ...error, code: undefined } };
    });
    expect(await http).toEqual(await rpc);
  });
});
