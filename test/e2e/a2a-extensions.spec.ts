import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OperationName } from '../../src/a2a/transports/operations.js';
import type { JsonObject } from '../../src/kernel/json.js';
import {
  BINDINGS,
  taskIdOf,
  type Binding,
  type Reply,
} from '../a2a/transports/support/bindings.js';
import { DIRECT_URI as DIRECT, TRUST_URI as TRUST } from '../capabilities/support/extensions.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { deployment, scripted } from './support/deployment.js';
import { askedForIn } from './support/recorded.js';
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

/** One that requires the trust extension, one that requires nothing. */
let strict: InProcessService;
let lenient: InProcessService;
let tokens: ReadonlyMap<InProcessService, string>;

beforeAll(async () => {
  const manifests = [scripted('play'), scripted('more', { visibility: 'extended' })];
  const agents = { agent: manifests };
  strict = await startTestService(await deployment(agents, { REQUIRED_EXTENSIONS: TRUST }));
  lenient = await startTestService(await deployment(agents));
  const alice = { principal: 'alice', scopes: [] };
  tokens = new Map([
    [strict, await strict.token(alice)],
    [lenient, await lenient.token(alice)],
  ]);
});

afterAll(async () => {
  await strict.dispose();
  await lenient.dispose();
});

function ask(
  service: InProcessService,
  binding: Binding,
  operation: OperationName,
  params: JsonObject,
  extensions: string | undefined,
): Promise<Reply> {
  const headers = extensions === undefined ? {} : { 'a2a-extensions': extensions };
  const token = tokens.get(service);
  return binding.call(`${service.url}/a2a/agent`, operation, params, { token, headers });
}

/** How many streams there are: of tasks, of invocations, of anything that somebody asked for. */
async function counted({ folder }: InProcessService): Promise<number> {
  const events = await askedForIn(folder, 'events.db');
  const tasks = await askedForIn(folder, 'tasks.db');
  return new Set([...events, ...tasks].map(({ stream }) => stream)).size;
}

/** A message with something more in it. */
function playingWith(more: JsonObject): JsonObject {
  const params = playing(['completed']);
  return { ...params, message: { ...(params['message'] as JsonObject), ...more } };
}

describe('the public card', () => {
  const declared = async (service: InProcessService) => {
    const { body } = await service.call('GET', '/a2a/agent/.well-known/agent-card.json');
    return (body['capabilities'] as JsonObject)['extensions'];
  };

  it('declares both extensions, and which of them is required', async () => {
    expect(await declared(lenient)).toEqual([
      { uri: TRUST, description: expect.any(String) },
      { uri: DIRECT, description: expect.any(String) },
    ]);
    expect(await declared(strict)).toMatchObject([{ uri: TRUST, required: true }, { uri: DIRECT }]);
  });
});

describe.each(BINDINGS)('a required extension over $name', (binding) => {
  it.each(OPERATIONS)('%s without it is refused, and leaves nothing', async (name, params) => {
    const before = await counted(strict);
    for (const extensions of [
      undefined,
      '',
      DIRECT,
      `${TRUST}/`,
      TRUST.replace('/v1', '/v2'),
      TRUST.toUpperCase(),
      'https://other.example/v1',
    ]) {
      const { error, headers, status } = await ask(strict, binding, name, params, extensions);
      expect(error).toMatchObject({
        reason: 'EXTENSION_SUPPORT_REQUIRED',
        domain: 'a2a-protocol.org',
        code: binding.name === 'JSON-RPC' ? -32008 : 'FAILED_PRECONDITION',
        metadata: { missing: TRUST },
      });
      expect(status).toBe(binding.name === 'JSON-RPC' ? 200 : 400);
      expect(headers.has('a2a-extensions')).toBe(false);
    }
    expect(await counted(strict)).toEqual(before);
  });

  it.each(OPERATIONS)('%s with it names it in its answer', async (name, params) => {
    const others = `https://other.example/v1 ,, ${TRUST},${TRUST}/`;
    const { headers, error } = await ask(strict, binding, name, params, others);
    expect(headers.get('a2a-extensions')).toBe(TRUST);
    expect(error?.reason).not.toBe('EXTENSION_SUPPORT_REQUIRED');
  });

  it('is named on streams and on errors of every kind', async () => {
    const params = playing(['input-required']);
    const hint = { ...params, metadata: { skillId: 'play' } };
    const stream = await ask(strict, binding, 'SendStreamingMessage', hint, TRUST);
    expect([stream.headers.get('content-type'), stream.headers.get('a2a-extensions')]).toEqual([
      'text/event-stream; charset=utf-8',
      TRUST,
    ]);
    const id = taskIdOf(stream);
    const wrong = await ask(strict, binding, 'SendMessage', { message: { taskId: id } }, TRUST);
    expect([wrong.error?.reason, wrong.headers.get('a2a-extensions')]).toEqual([
      'INVALID_PARAMS',
      TRUST,
    ]);
  });
});

describe.each(BINDINGS)('extensions that nobody requires, over $name', (binding) => {
  it.each([
    ['none', undefined, null],
    ['the one', TRUST, TRUST],
    ['an unknown one', 'https://other.example/v1', null],
  ])('%s is named in the answer, and the message is as any other', async (_, asked, named) => {
    const params = playing(['completed']);
    const { error, headers } = await ask(lenient, binding, 'SendMessage', params, asked);
    expect(error).toBeUndefined();
    expect(headers.get('a2a-extensions')).toBe(named);
  });

  it('an activated direct invoke without a payload is refused by it, and leaves nothing', async () => {
    const before = await counted(lenient);
    const declaring = playingWith({ extensions: [DIRECT] });
    for (const [params, reason] of [
      [declaring, 'SKILL_DIRECT_INVOKE_METADATA_MISSING'],
      [playing(['completed']), 'SKILL_DIRECT_INVOKE_INVALID_METADATA'],
    ] as const) {
      for (const operation of ['SendMessage', 'SendStreamingMessage'] as const) {
        const reply = await ask(lenient, binding, operation, params, `${DIRECT},${TRUST}`);
        expect(reply.error).toMatchObject({
          reason,
          metadata: { code: reason },
          code: binding.name === 'JSON-RPC' ? -32602 : 'INVALID_ARGUMENT',
        });
        expect(reply.headers.get('a2a-extensions')).toBe(`${TRUST}, ${DIRECT}`);
      }
    }
    expect(await counted(lenient)).toEqual(before);
  });

  it.each([
    ['names no interaction', { metadata: { [TRUST]: {} } }],
    ['names it as nothing', { metadata: { [TRUST]: null } }],
    ['says more', { metadata: { [TRUST]: { interactionId: UNKNOWN, more: 1 } } }],
  ])('a contract that %s is refused, activated or not, and leaves nothing', async (_, more) => {
    const before = await counted(lenient);
    for (const asked of [undefined, TRUST]) {
      const { error } = await ask(lenient, binding, 'SendMessage', playingWith(more), asked);
      expect(error?.reason).toBe('CONTRACT_CLAIM_INVALID');
    }
    expect(await counted(lenient)).toEqual(before);
  });
});
