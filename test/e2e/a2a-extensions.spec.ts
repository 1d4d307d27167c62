import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OperationName } from '../../src/a2a/transports/operations.js';
import { DEFAULT_TRUST_EXTENSION as TRUST } from '../../src/config/read-a2a-config.js';
import type { JsonObject } from '../../src/kernel/json.js';
import { BINDINGS, taskIdOf, type Binding, type Reply } from '../a2a/transports/support/bindings.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { deployment, scripted } from './support/deployment.js';
import { recordedIn } from './support/recorded.js';
import { playing } from './support/script.js';

const UNKNOWN = '2f0d2c2a-8f5e-4c55-9d0c-6e5d1f1f0a11';

const OPERATIONS: readonly (readonly [OperationName, JsonObject])[] = [
  ['SendMessage', playing(['completed'])],
  ['SendStreamingMessage', playing(['completed'])],
  ['GetTask', { id: UNKNOWN }],
  ['ListTasks', {}],
  ['CancelTask', { id: UNKNOWN }],
  ['SubscribeToTask', { id: UNKNOWN }],
  ['CreateTaskPushNotificationConfig', { taskId: UNKNOWN, url: 'https://hooks.example/' }],
  ['GetTaskPushNotificationConfig', { taskId: UNKNOWN, id: 'c' }],
  ['ListTaskPushNotificationConfigs', { taskId: UNKNOWN }],
  ['DeleteTaskPushNotificationConfig', { taskId: UNKNOWN, id: 'c' }],
  ['GetExtendedAgentCard', {}],
];

let service: InProcessService;
let token: string;

beforeAll(async () => {
  const manifests = [scripted('play'), scripted('more', { visibility: 'extended' })];
  const env = { REQUIRED_EXTENSIONS: TRUST };
  service = await startTestService(await deployment({ strict: manifests }, env));
  token = await service.token({ principal: 'alice', scopes: [] });
});

afterAll(async () => {
  await service.dispose();
});

function ask(
  binding: Binding,
  operation: OperationName,
  params: JsonObject,
  extensions: string | undefined,
): Promise<Reply> {
  const headers = extensions === undefined ? {} : { 'a2a-extensions': extensions };
  return binding.call(`${service.url}/a2a/strict`, operation, params, { token, headers });
}

const counted = async () => {
  const [events, tasks] = [
    await recordedIn(service.folder, 'events.db'),
    await recordedIn(service.folder, 'tasks.db'),
  ];
  return [events.length, tasks.length];
};

it('the card says that the extension is required', async () => {
  const { body } = await service.call('GET', '/a2a/strict/.well-known/agent-card.json');
  expect(body['capabilities']).toMatchObject({ extensions: [{ uri: TRUST, required: true }] });
});

describe.each(BINDINGS)('over $name', (binding) => {
  it.each(OPERATIONS)('%s without the extension is refused, and leaves nothing', async (name, params) => {
    const before = await counted();
    for (const extensions of [
      undefined,
      '',
      `${TRUST}/`,
      TRUST.replace('/v1', '/v2'),
      TRUST.toUpperCase(),
      'https://other.example/v1',
    ]) {
      const { error, headers, status } = await ask(binding, name, params, extensions);
      expect(error).toMatchObject({
        reason: 'EXTENSION_SUPPORT_REQUIRED',
        domain: 'a2a-protocol.org',
        code: binding.name === 'JSON-RPC' ? -32008 : 'FAILED_PRECONDITION',
        metadata: { missing: TRUST },
      });
      expect(status).toBe(binding.name === 'JSON-RPC' ? 200 : 400);
      expect(headers.has('a2a-extensions')).toBe(false);
    }
    expect(await counted()).toEqual(before);
  });

  it.each(OPERATIONS)('%s with the extension names it in its answer', async (name, params) => {
    const others = `https://other.example/v1 ,, ${TRUST},${TRUST}/`;
    const { headers, error } = await ask(binding, name, params, others);
    expect(headers.get('a2a-extensions')).toBe(TRUST);
    expect(error?.reason).not.toBe('EXTENSION_SUPPORT_REQUIRED');
  });

  it('names it on streams and on errors of every kind', async () => {
    const params = playing(['input-required']);
    const hint = { ...params, metadata: { skillId: 'play' } };
    const stream = await ask(binding, 'SendStreamingMessage', hint, TRUST);
    expect([stream.headers.get('content-type'), stream.headers.get('a2a-extensions')]).toEqual([
      'text/event-stream; charset=utf-8',
      TRUST,
    ]);
    const id = taskIdOf(stream);
    const wrong = await ask(binding, 'SendMessage', { message: { taskId: id } }, TRUST);
    expect([wrong.error?.reason, wrong.headers.get('a2a-extensions')]).toEqual([
      'INVALID_PARAMS',
      TRUST,
    ]);
  });
});
