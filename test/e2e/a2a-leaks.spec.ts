import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OperationName } from '../../src/a2a/transports/operations.js';
import type { JsonObject } from '../../src/kernel/json.js';
import {
  BINDINGS,
  jsonRpc,
  saying,
  taskIdOf,
  type Binding,
  type Reply,
} from '../a2a/transports/support/bindings.js';
import { DIRECT_URI } from '../capabilities/support/extensions.js';
import { rawRequest, sendRaw } from '../support/raw-http.js';
import { startTestService, type Answer, type InProcessService } from '../support/service.js';
import { deployment, HOST_TENANT, scripted } from './support/deployment.js';
import { Operator } from './support/operator.js';

const AGENT = 'discreet';
const UNKNOWN = '2f0d2c2a-8f5e-4c55-9d0c-6e5d1f1f0a11';
const KINDS = ['extended', 'internal', 'preview', 'tombstone', 'contract', 'direct'] as const;

/** A word of a manifest that occurs nowhere else. */
const word = (kind: string, of: string): string => `qqxvzjqx${kind}${of}`;

/** A manifest that most callers do not know of, in words of its own. */
function hidden(kind: (typeof KINDS)[number]): JsonObject {
  const own = (of: string): string => word(kind, of);
  return {
    id: own('id'),
    agentId: AGENT,
    state: kind === 'preview' ? 'preview' : kind === 'tombstone' ? 'deprecated' : 'ga',
    visibility: kind === 'internal' ? 'internal' : kind === 'preview' ? 'public' : 'extended',
    requires_scopes: kind === 'preview' ? [] : [own('scope')],
    tenants: kind === 'preview' ? '*' : [own('tenant'), HOST_TENANT],
    handler: own('handler'),
    limits: { [own('limit')]: own('value') },
    owner: own('owner'),
    ...(kind === 'contract' && {
      requires_contract: true,
      action: own('action'),
      data: [own('data')],
    }),
    ...(kind === 'direct' && {
      direct_invoke: {
        input_schema: {
          type: 'object',
          properties: { [own('field')]: {} },
          required: [own('field')],
        },
        output_schema: { type: 'object', title: own('title') },
        backend: { type: 'http', name: own('backend') },
      },
    }),
    skill: {
      name: own('name'),
      description: `Reconciles the ledgers of ${own('description')}.`,
      tags: [own('tag')],
      examples: [`Please reconcile the ledgers ${own('example')}.`],
      inputModes: ['text/plain', 'application/json', `application/${own('mode')}`],
      outputModes: ['text/plain', `application/${own('output')}`],
    },
  };
}

/** Begins every word that must not be said; too long for a random id to hold it by chance. */
const SECRET = /qqxvzjqx\w*/i;

const BACKEND = { kind: 'http', name: word('direct', 'backend'), url: 'http://127.0.0.1:65535/' };

let service: InProcessService;
/** Of callers who may not use any of it: null for nobody in particular. */
const callers = new Map<string, string | undefined>();
let operator: Operator;

beforeAll(async () => {
  const said = { skill: { description: 'Finds an invoice.', examples: ['Find invoice 17.'] } };
  const manifests = [
    scripted('find', { handler: 'e2e.named', ...said }),
    scripted('list', { handler: 'e2e.named', ...said }),
    ...KINDS.map(hidden),
  ];
  service = await startTestService(
    await deployment(
      { [AGENT]: manifests },
      { A2A_ANONYMOUS: 'secret' },
      // Cards tell of direct invokes that a backend is there for. Nobody listens at it.
      { backends: { [word('direct', 'handler')]: BACKEND } },
    ),
  );
  operator = await Operator.of(service, AGENT);
  await operator.become(word('tombstone', 'id'), { state: 'removed' });
  await operator.optIn(word('preview', 'id'), 'somebody-else');
  callers.set('anonymous', undefined);
  callers.set('without scopes', await service.token({ principal: 'p1', scopes: [] }));
  const all = KINDS.map((kind) => word(kind, 'scope'));
  callers.set(
    'with all scopes, of another tenant',
    await service.token({ principal: 'p2', scopes: all }),
  );
  const bound = { principal: 'p3', tenant: HOST_TENANT, agent: 'some-agent', scopes: [] };
  callers.set('of the tenant, without scopes', await service.token(bound));
});

afterAll(async () => {
  await service.dispose();
});

function expectSilence(text: string, headers: Iterable<readonly [string, string]> = []): void {
  expect(SECRET.exec(text)?.[0]).toBeUndefined();
  for (const header of headers) expect(SECRET.exec(header.join(': '))?.[0]).toBeUndefined();
}

/** The text of a message that is about what is hidden, in words that everybody has. */
const ABOUT = 'Please reconcile the ledgers.';
const DATA = { parts: [{ data: { field: 1, qq: {} } }] };

/** Every operation, and every way to be refused that a word could slip into. */
const REQUESTS: readonly (readonly [OperationName, JsonObject])[] = [
  ['SendMessage', saying(ABOUT)],
  ['SendMessage', saying('Find invoice 17.')],
  ['SendMessage', saying('asdf')],
  ['SendMessage', saying('', DATA)],
  ['SendMessage', saying('', { parts: [{ raw: 'AAAA', mediaType: 'video/mp4' }] })],
  ['SendMessage', { ...saying(ABOUT), configuration: { acceptedOutputModes: ['video/mp4'] } }],
  ['SendMessage', saying(ABOUT, { taskId: UNKNOWN })],
  ['SendMessage', {}],
  ['SendMessage', { message: 1, configuration: [] }],
  ['SendStreamingMessage', saying(ABOUT)],
  ['SendStreamingMessage', saying('', DATA)],
  ['GetTask', { id: UNKNOWN }],
  ['ListTasks', { includeArtifacts: true, pageSize: 100 }],
  ['ListTasks', { pageToken: 'x', status: 'x' }],
  ['CancelTask', { id: UNKNOWN }],
  ['SubscribeToTask', { id: UNKNOWN }],
  ['CreateTaskPushNotificationConfig', { taskId: UNKNOWN, url: 'x' }],
  ['GetTaskPushNotificationConfig', { taskId: UNKNOWN, id: 'c' }],
  ['ListTaskPushNotificationConfigs', { taskId: UNKNOWN }],
  ['DeleteTaskPushNotificationConfig', { taskId: UNKNOWN, id: 'c' }],
  ['GetExtendedAgentCard', {}],
];

describe.each([
  'anonymous',
  'without scopes',
  'with all scopes, of another tenant',
  'of the tenant, without scopes',
])('a caller %s is told no word of what it may not use', (who) => {
  const agentUrl = (): string => `${service.url}/a2a/${AGENT}`;
  const ask = () => ({ token: callers.get(who) });

  it.each(BINDINGS)('in any answer over $name', async (binding) => {
    for (const [operation, params] of REQUESTS) {
      const { text, headers } = await binding.call(agentUrl(), operation, params, ask());
      expectSilence(text, headers);
    }
  });

  it.each(BINDINGS)('in a clarification, nor in what follows on it ($name)', async (binding) => {
    const asked = await binding.call(agentUrl(), 'SendMessage', saying(ABOUT), ask());
    expect(asked.result).toMatchObject({
      task: { status: { state: 'TASK_STATE_INPUT_REQUIRED' } },
    });
    expectSilence(asked.text);
    const taskId = taskIdOf(asked);
    for (const answer of ['Reconcile.', 'The other one.', 'find']) {
      const { text, headers } = await binding.call(
        agentUrl(),
        'SendMessage',
        saying(answer, { taskId }),
        ask(),
      );
      expectSilence(text, headers);
    }
    const { text } = await binding.call(agentUrl(), 'GetTask', { id: taskId }, ask());
    expectSilence(text);
    expect(text).toContain('ran find');
  });

  it.each(BINDINGS)(
    'by a hint: a hidden skill answers as one that never was ($name)',
    async (binding) => {
      for (const kind of KINDS) {
        for (const text of [ABOUT, 'asdf']) {
          const hiddenOne = await hinted(binding, word(kind, 'id'), text);
          // As long, and as unknown.
          const unknownOne = await hinted(
            binding,
            word('nowhere'.slice(0, kind.length), 'id'),
            text,
          );
          expect(hiddenOne).toEqual(unknownOne);
        }
      }
    },
  );

  it.each(BINDINGS)(
    'by a direct invoke: a hidden skill answers as one that never was ($name)',
    async (binding) => {
      for (const operation of ['SendMessage', 'SendStreamingMessage'] as const) {
        for (const args of [{}, { field: 1 }, { [word('direct', 'field')]: 1 }]) {
          // The tombstone's callers are others, too.
          const answers = new Set<string>();
          for (const skillId of [...KINDS.map((kind) => word(kind, 'id')), 'never-was']) {
            const reply = await invoked(binding, operation, skillId, args);
            expect(reply.error?.reason).toBe('SKILL_DIRECT_INVOKE_SKILL_NOT_FOUND');
            expectSilence(reply.text, reply.headers);
            answers.add(`${reply.status} ${reply.text}`);
          }
          expect(answers.size).toBe(1);
        }
      }
    },
  );

  async function invoked(
    binding: Binding,
    operation: OperationName,
    skillId: string,
    args: JsonObject,
  ): Promise<Reply> {
    const payload = { callId: 'c', skillId, arguments: args, bypassModel: true };
    const params = saying('', { extensions: [DIRECT_URI], metadata: { [DIRECT_URI]: payload } });
    const headers = { 'a2a-extensions': DIRECT_URI };
    return binding.call(agentUrl(), operation, params, { ...ask(), headers });
  }

  async function hinted(binding: Binding, skillId: string, text: string): Promise<unknown> {
    const params = { ...saying(text), metadata: { skillId } };
    const reply = await binding.call(agentUrl(), 'SendMessage', params, ask());
    expectSilence(reply.text, reply.headers);
    const { status } = reply.result?.['task'] as { status: JsonObject };
    const { parts } = status['message'] as JsonObject;
    return [reply.status, status['state'], parts];
  }

  it('in a card, or an explanation', async () => {
    const { token } = ask();
    const call = token === undefined ? {} : { token };
    const answers: Answer[] = [
      await service.call('GET', '/.well-known/agent-card.json', call),
      await service.call('GET', `/a2a/${AGENT}/.well-known/agent-card.json`, call),
      await service.call('GET', `/a2a/${AGENT}/extendedAgentCard`, {
        ...call,
        headers: { 'a2a-version': '1.0' },
      }),
    ];
    for (const text of [ABOUT, 'Find invoice 17.', 'asdf']) {
      const body = { agent: AGENT, text };
      answers.push(await service.call('POST', '/v1/routing/explain', { ...call, body }));
    }
    const others = { agent: AGENT, text: ABOUT, caller: { tenant: HOST_TENANT, scopes: ['x'] } };
    answers.push(await service.call('POST', '/v1/routing/explain', { ...call, body: others }));
    for (const kind of KINDS) {
      // Its own address echoes nothing but what was asked for.
      const path = `/v1/capabilities/${AGENT}/${word(kind, 'id')}`;
      const answer = await service.call('GET', path, call);
      expect([401, 403, 404]).toContain(answer.status);
      const text = answer.text.replaceAll(word(kind, 'id'), '<id>');
      answers.push({ ...answer, text });
    }
    answers.push(await service.call('GET', '/v1/capabilities', call));
    for (const { text, headers } of answers) expectSilence(text, headers);
    expect(answers[0]?.text).toContain('Finds an invoice.');
  });

  it('in an answer to what is no request at all', async () => {
    const path = `/a2a/${AGENT}`;
    const { token } = ask();
    const headers = [
      'content-type: application/json',
      'a2a-version: 1.0',
      ...(token === undefined ? [] : [`authorization: Bearer ${token}`]),
    ];
    for (const [method, target, more, body] of [
      ['POST', path, [], '{'],
      ['POST', path, [], '[]'],
      ['POST', path, [], '{"jsonrpc":"2.0","id":1,"method":"None"}'],
      ['POST', path, ['a2a-version: 9.9'], '{}'],
      ['POST', `${path}/message:send`, [], '{"message":{"message":{}}}'],
      ['GET', `${path}/tasks/${UNKNOWN}:nothing`, [], ''],
      ['DELETE', path, [], ''],
      ['GET', `${path}/skills`, [], ''],
      ['OPTIONS', path, [], ''],
    ] as const) {
      const answer = await sendRaw(
        service.url,
        rawRequest(method, target, [...headers, ...more], body),
      );
      expectSilence(answer.body, Object.entries(answer.headers));
    }
  });
});

it('all of it would be found: whoever may use it is told', async () => {
  const scopes = KINDS.map((kind) => word(kind, 'scope'));
  const token = await service.token({
    principal: 'p4',
    tenant: word('extended', 'tenant'),
    scopes,
  });
  const agentUrl = `${service.url}/a2a/${AGENT}`;
  const { text } = await jsonRpc.call(agentUrl, 'GetExtendedAgentCard', {}, { token });
  const direct = await service.token({ principal: 'p5', tenant: word('direct', 'tenant'), scopes });
  const ofDirect = await jsonRpc.call(agentUrl, 'GetExtendedAgentCard', {}, { token: direct });
  for (const each of ['id', 'field', 'title', 'backend']) {
    expect(ofDirect.text).toContain(word('direct', each));
    expect(text).not.toContain(word('direct', each));
  }
  for (const each of ['id', 'name', 'description', 'tag', 'example', 'mode', 'output']) {
    expect(text).toContain(word('extended', each));
  }
  for (const each of ['scope', 'tenant', 'handler', 'limit', 'value', 'owner']) {
    expect(text).not.toContain(word('extended', each));
  }
});
