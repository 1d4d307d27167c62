import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../src/kernel/json.js';
import {
  BINDINGS,
  saying,
  taskIdOf,
  type Binding,
  type Reply,
} from '../a2a/transports/support/bindings.js';
import { DIRECT_URI as URI } from '../capabilities/support/extensions.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { deployment, scripted } from './support/deployment.js';
import { playing } from './support/script.js';
import { SUM_DIRECT } from './support/sum.js';

let service: InProcessService;
let token: string;

beforeAll(async () => {
  const direct = { handler: 'e2e.sum', direct_invoke: SUM_DIRECT };
  service = await startTestService(
    await deployment(
      {
        calculator: [
          scripted('calculate_sum', direct),
          scripted('restricted', {
            ...direct,
            visibility: 'extended',
            requires_scopes: ['ledger'],
          }),
          scripted('open', {
            ...direct,
            direct_invoke: { ...SUM_DIRECT, allow_unauthenticated: true },
          }),
          scripted('unbound', { ...direct, handler: 'e2e.nowhere' }),
          scripted('play'),
        ],
      },
      { A2A_ANONYMOUS: 'secret' },
    ),
  );
  token = await service.token({ principal: 'alice', scopes: [] });
});

afterAll(async () => {
  await service.dispose();
});

const PAYLOAD = {
  callId: 'direct-call-1',
  skillId: 'calculate_sum',
  arguments: { a: 12, b: 30 },
  bypassModel: true,
};

/** Params of a direct invoke, under a message id of its own. */
function invoking(changes: JsonObject = {}): JsonObject {
  const payload = { ...PAYLOAD, ...changes };
  return saying('Sum them up.', { extensions: [URI], metadata: { [URI]: payload } });
}

const agentUrl = (): string => `${service.url}/a2a/calculator`;

function send(
  binding: Binding,
  params: JsonObject,
  operation: 'SendMessage' | 'SendStreamingMessage' = 'SendMessage',
  as: string | undefined = token,
): Promise<Reply> {
  const headers = { 'a2a-extensions': URI };
  return binding.call(agentUrl(), operation, params, { token: as, headers });
}

const METRICS = {
  serverDispatchLatencyMs: expect.any(Number),
  backendLatencyMs: expect.any(Number),
  llmPlanningLatencyMs: 0,
  inputTokens: 0,
  outputTokens: 0,
  totalTokens: 0,
};

const RESULT = { artifactId: 'result', parts: [{ data: { sum: 42 } }] };

function failed(binding: Binding, { error, status }: Reply): string {
  expect(error).toMatchObject({
    domain: 'countersign.example',
    code: binding.name === 'JSON-RPC' ? -32602 : 'INVALID_ARGUMENT',
    metadata: { code: error?.reason },
  });
  expect(status).toBe(binding.name === 'JSON-RPC' ? 200 : 400);
  return String(error?.reason).replace('SKILL_DIRECT_INVOKE_', '');
}

describe.each(BINDINGS)('a direct invoke over $name', (binding) => {
  it('RFC section 3.6: SendMessage answers with a completed task, its result and all metrics', async () => {
    const { result, headers } = await send(binding, invoking({ traceId: 'trace-1' }));
    expect(headers.get('a2a-extensions')).toBe(URI);
    expect(result).toMatchObject({
      task: {
        status: { state: 'TASK_STATE_COMPLETED' },
        artifacts: [RESULT],
        metadata: { [URI]: { callId: 'direct-call-1', traceId: 'trace-1', metrics: METRICS } },
      },
    });
  });

  it('RFC section 3.6: a stream is submitted, the artifact, completed, and no more', async () => {
    const { events, headers } = await send(binding, invoking(), 'SendStreamingMessage');
    expect(headers.get('a2a-extensions')).toBe(URI);
    expect(events?.map(({ response }) => response)).toMatchObject([
      { task: { status: { state: 'TASK_STATE_SUBMITTED' } } },
      { artifactUpdate: { artifact: RESULT } },
      {
        statusUpdate: {
          status: { state: 'TASK_STATE_COMPLETED' },
          metadata: { [URI]: { callId: 'direct-call-1', metrics: METRICS } },
        },
      },
    ]);
  });

  it('RFC section 3.2: without the header it is an ordinary message', async () => {
    const params = playing(['completed']);
    const message = params['message'] as JsonObject;
    const both = { extensions: [URI], metadata: { [URI]: PAYLOAD } };
    const sent = { ...params, message: { ...message, ...both }, metadata: { skillId: 'play' } };
    const reply = await binding.call(agentUrl(), 'SendMessage', sent, { token });
    expect(reply.headers.has('a2a-extensions')).toBe(false);
    expect(reply.result).toMatchObject({ task: { status: { state: 'TASK_STATE_COMPLETED' } } });
    expect(reply.result).not.toHaveProperty(['task', 'artifacts']);
    expect(reply.result).not.toHaveProperty(['task', 'metadata', URI]);
  });

  it.each<readonly [code: string, changes: JsonObject, isAnonymous?: boolean]>([
    ['INVALID_METADATA', { bypassModel: false }],
    ['SKILL_NOT_FOUND', { skillId: 'nowhere' }],
    ['SKILL_NOT_FOUND', { skillId: 'restricted' }],
    ['SKILL_NOT_BOUND', { skillId: 'play' }],
    ['INVALID_ARGUMENTS', { arguments: { a: '12', b: 30 } }],
    ['UNAUTHORIZED', {}, true],
    ['BACKEND_NOT_FOUND', { skillId: 'unbound' }],
    ['BACKEND_FAILED', { arguments: { a: 1, b: 2, how: 'fail' } }],
    ['OUTPUT_INVALID', { arguments: { a: 1, b: 2, how: 'unfit' } }],
  ])('RFC section 5: %s for %j', async (code, changes, isAnonymous = false) => {
    const reply = isAnonymous
      ? await binding.call(agentUrl(), 'SendMessage', invoking(changes), {
          headers: { 'a2a-extensions': URI },
        })
      : await send(binding, invoking(changes));
    expect(failed(binding, reply)).toBe(code);
    expect(reply.text).not.toContain('db7');
  });

  it('RFC section 4: an explicit opt-out lets callers without a token in', async () => {
    const reply = await binding.call(agentUrl(), 'SendMessage', invoking({ skillId: 'open' }), {
      headers: { 'a2a-extensions': URI },
    });
    expect(reply.result).toMatchObject({ task: { artifacts: [RESULT] } });
  });

  it('RFC section 5: a failed backend ends the stream with its code, and the task keeps it', async () => {
    const params = invoking({ arguments: { a: 1, b: 2, how: 'fail' } });
    const said = { [URI]: { code: 'SKILL_DIRECT_INVOKE_BACKEND_FAILED', callId: 'direct-call-1' } };
    const stream = await send(binding, params, 'SendStreamingMessage');
    expect(stream.events?.at(-1)?.response).toMatchObject({
      statusUpdate: { status: { state: 'TASK_STATE_FAILED' }, metadata: said },
    });
    expect(stream.text).not.toContain('db7');
    const id = taskIdOf(stream);
    // The very same message again: the same failure, of the same task.
    const again = await send(binding, params);
    expect(failed(binding, again)).toBe('BACKEND_FAILED');
    expect(again.error?.metadata['taskId']).toBe(id);
    const { result } = await binding.call(agentUrl(), 'GetTask', { id }, { token });
    expect(result).toMatchObject({ metadata: said });
  });

  it('RFC section 5: IDEMPOTENCY_CONFLICT for other arguments, the first task for the same', async () => {
    const idempotencyKey = `key-${binding.name}`;
    const first = await send(binding, invoking({ idempotencyKey }));
    const again = await send(binding, invoking({ idempotencyKey, callId: 'direct-call-2' }));
    expect(taskIdOf(again)).toBe(taskIdOf(first));
    const other = await send(binding, invoking({ idempotencyKey, arguments: { a: 1, b: 1 } }));
    expect(failed(binding, other)).toBe('IDEMPOTENCY_CONFLICT');
  });

  it('names of objects that could harm are refused before anything reads them', async () => {
    const body = JSON.stringify(invoking()).replace('"a":12', '"__proto__":{"a":12}');
    const address = binding.name === 'JSON-RPC' ? agentUrl() : `${agentUrl()}/message:send`;
    const envelope = `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":${body}}`;
    const answer = await fetch(address, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'a2a-version': '1.0',
        'a2a-extensions': URI,
        authorization: `Bearer ${token}`,
      },
      body: binding.name === 'JSON-RPC' ? envelope : body,
    });
    expect(await answer.text()).toContain('JSON_FORBIDDEN_NAME');
  });
});

describe('RFC section 3.4, what a client confirms before it calls', () => {
  type Card = { readonly capabilities: JsonObject; readonly skills: readonly JsonObject[] };

  /** (a) declared, (b) in params.skills, (c) supported, (d) the same id in skills. */
  function mayInvoke({ capabilities, skills }: Card, skillId: string): boolean {
    const extensions = (capabilities['extensions'] ?? []) as readonly JsonObject[];
    const declared = extensions.find(({ uri }) => uri === URI);
    const bound = (declared?.['params'] as JsonObject | undefined)?.['skills'] as
      JsonObject | undefined;
    const entry = bound?.[skillId] as JsonObject | undefined;
    return entry?.['directInvokeSupported'] === true && skills.some(({ id }) => id === skillId);
  }

  it('the public card says it of what everybody may use, an extended one of what its reader may', async () => {
    const { body } = await service.call('GET', '/a2a/calculator/.well-known/agent-card.json');
    const scopes = await service.token({ principal: 'bob', scopes: ['ledger'] });
    const cardOf = async (as: string): Promise<Card> => {
      const [binding] = BINDINGS;
      const card = await binding?.call(agentUrl(), 'GetExtendedAgentCard', {}, { token: as });
      return card?.result as unknown as Card;
    };
    const may = (card: Card) =>
      ['calculate_sum', 'restricted', 'play', 'nowhere'].map((id) => mayInvoke(card, id));
    expect(may(body as unknown as Card)).toEqual([true, false, false, false]);
    expect(may(await cardOf(token))).toEqual([true, false, false, false]);
    expect(may(await cardOf(scopes))).toEqual([true, true, false, false]);
    expect(JSON.stringify(body)).not.toContain('restricted');
  });

  it('RFC section 6: no skill got another field, and a client that minds none of it reads the card', async () => {
    const { body } = await service.call('GET', '/a2a/calculator/.well-known/agent-card.json');
    for (const skill of (body as unknown as Card).skills) {
      expect(Object.keys(skill).sort()).toEqual([
        ...['description', 'examples', 'id', 'inputModes', 'name', 'outputModes', 'tags'],
      ]);
    }
  });
});
