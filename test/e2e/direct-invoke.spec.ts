import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../src/kernel/json.js';
import {
  BINDINGS,
  taskIdOf,
  type Binding,
  type Reply,
} from '../a2a/transports/support/bindings.js';
import { DIRECT_URI as URI } from '../capabilities/support/extensions.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { CALCULATOR, calculatorDeployment, payloadPointer } from './support/calculator.js';
import { AgentClient, invoking, outcomeOf, type CallMore } from './support/direct-calls.js';

let service: InProcessService;
let alice: AgentClient;
let nobody: AgentClient;

beforeAll(async () => {
  service = await startTestService(await calculatorDeployment());
  const token = await service.token({ principal: 'alice', scopes: [] });
  alice = new AgentClient(service, CALCULATOR, token);
  nobody = new AgentClient(service, CALCULATOR, undefined);
});

afterAll(async () => {
  await service.dispose();
});

const SUM: JsonObject = { a: 12, b: 30 };
const METRICS = {
  serverDispatchLatencyMs: expect.any(Number),
  backendLatencyMs: expect.any(Number),
  llmPlanningLatencyMs: 0,
  inputTokens: 0,
  outputTokens: 0,
  totalTokens: 0,
};

describe.each(BINDINGS)('RFC section 3.6, the response over $name', (binding) => {
  const more: CallMore = { payload: { callId: 'mine-7', traceId: 'trace-7' } };

  it('is a standard task, completed, with the result as the first data of the first artifact', async () => {
    const reply = await alice.over(binding).invoke('calculate_sum', SUM, more);
    const task = reply.result?.['task'] as JsonObject;
    expect(reply.headers.get('a2a-extensions')).toBe(URI);
    expect(task).toMatchObject({
      status: { state: 'TASK_STATE_COMPLETED' },
      artifacts: [{ parts: [{ data: { sum: 42 }, mediaType: 'application/json' }] }],
    });
    const metadata = task['metadata'] as JsonObject;
    expect(metadata[URI]).toEqual({ callId: 'mine-7', traceId: 'trace-7', metrics: METRICS });
    // What was answered is what is kept, for its owner.
    const { result } = await alice.over(binding).ask('GetTask', { id: taskIdOf(reply) });
    expect(result).toEqual(task);
  });

  it('says nothing of a trace that there was not', async () => {
    const { result } = await alice.over(binding).invoke('calculate_sum', SUM);
    const task = result?.['task'] as JsonObject;
    expect((task['metadata'] as JsonObject)[URI]).toEqual({ callId: 'call-1', metrics: METRICS });
  });

  it('streamed, is submitted, the artifact, completed, and nothing else', async () => {
    const params = invoking('calculate_sum', SUM, more);
    const { events, headers } = await alice.over(binding).send(params, 'SendStreamingMessage');
    expect(headers.get('a2a-extensions')).toBe(URI);
    expect(headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(events?.map(({ response }) => Object.keys(response))).toEqual([
      ['task'],
      ['artifactUpdate'],
      ['statusUpdate'],
    ]);
    const [submitted, artifact, completed] = events!.map(({ response }) => response);
    expect(submitted).toMatchObject({ task: { status: { state: 'TASK_STATE_SUBMITTED' } } });
    expect(artifact).toMatchObject({
      artifactUpdate: { artifact: { parts: [{ data: { sum: 42 } }] }, lastChunk: true },
    });
    expect(completed).toMatchObject({
      statusUpdate: {
        status: { state: 'TASK_STATE_COMPLETED' },
        metadata: { [URI]: { callId: 'mine-7', traceId: 'trace-7', metrics: METRICS } },
      },
    });
  });

  it('works without a token where a binding opts out of authentication (section 4)', async () => {
    expect(outcomeOf(await nobody.over(binding).invoke('open', SUM))).toBe('COMPLETED');
  });
});

interface Code {
  readonly code: string;
  readonly params: () => JsonObject;
  readonly as?: () => AgentClient;
  /** Fields that are named as wrong. */
  readonly fields?: readonly string[];
  readonly refusal?: unknown;
}

const calling =
  (skillId: string, args: JsonObject = SUM, more?: CallMore) =>
  () =>
    invoking(skillId, args, more);

/** Found out before there is a task. */
const REFUSALS: readonly Code[] = [
  {
    code: 'METADATA_MISSING',
    params: calling('calculate_sum', SUM, { message: { metadata: {} } }),
    fields: [payloadPointer('')],
  },
  {
    code: 'INVALID_METADATA',
    params: calling('calculate_sum', SUM, { payload: { bypassModel: false } }),
    fields: [payloadPointer('/bypassModel')],
  },
  {
    code: 'INVALID_METADATA',
    params: calling('calculate_sum', SUM, { message: { extensions: [] } }),
    fields: ['/message/extensions'],
  },
  { code: 'SKILL_NOT_FOUND', params: calling('nowhere') },
  { code: 'SKILL_NOT_FOUND', params: calling('restricted') },
  { code: 'SKILL_NOT_FOUND', params: calling('no skill id at all!') },
  { code: 'SKILL_NOT_BOUND', params: calling('play') },
  {
    code: 'INVALID_ARGUMENTS',
    params: calling('calculate_sum', { a: '12', more: 1 }),
    fields: ['/arguments/a', '/arguments/b', '/arguments/more'].map(payloadPointer),
  },
  { code: 'UNAUTHORIZED', params: calling('calculate_sum'), as: () => nobody },
  { code: 'FORBIDDEN', params: calling('under-contract'), refusal: 'agent-required' },
  { code: 'BACKEND_NOT_FOUND', params: calling('unbound') },
];

/** Known once there is a task. */
const FAILURES: readonly Code[] = [
  // Not tried any more once its circuit has opened.
  {
    code: 'BACKEND_UNAVAILABLE',
    params: calling('down'),
    refusal: expect.stringMatching(/^backend-not-(reached|tried)$/),
  },
  { code: 'BACKEND_FAILED', params: calling('calculate_sum', { ...SUM, how: 'fail' }) },
  { code: 'OUTPUT_INVALID', params: calling('calculate_sum', { ...SUM, how: 'unfit' }) },
];

/** Every code has one form: InvalidParams, and the code twice. */
function expectCode(binding: Binding, reply: Reply, { code, refusal, fields }: Code): void {
  const full = `SKILL_DIRECT_INVOKE_${code}`;
  const isRpc = binding.name === 'JSON-RPC';
  expect(reply.status).toBe(isRpc ? 200 : 400);
  expect(reply.headers.get('a2a-extensions')).toBe(URI);
  expect(reply.error).toMatchObject({
    code: isRpc ? -32602 : 'INVALID_ARGUMENT',
    reason: full,
    domain: 'countersign.example',
    metadata: { code: full, ...(refusal === undefined ? {} : { refusal }) },
  });
  if (fields !== undefined) {
    const told = reply.error?.violations.map(({ field }) => field);
    expect(told?.sort()).toEqual([...fields].sort());
  }
  // What backends say of themselves is not for callers.
  expect(reply.text).not.toMatch(/db7\.internal|127\.0\.0\.1|ECONNREFUSED/);
}

describe.each(BINDINGS)('RFC section 5, codes over $name', (binding) => {
  it.each(REFUSALS)('$code: before there is a task, $fields $refusal', async (row) => {
    const client = (row.as?.() ?? alice).over(binding);
    const params = row.params();
    expectCode(binding, await client.send(params), row);
    const stream = await client.send(params, 'SendStreamingMessage');
    expectCode(binding, stream, row);
    expect(stream.events ?? []).toEqual([]);
    const told = stream.error?.metadata['callId'];
    expect(told).toBe(row.code === 'METADATA_MISSING' ? undefined : 'call-1');
  });

  it.each(FAILURES)('$code: of a task, and again of the same', async (row) => {
    const client = alice.over(binding);
    const params = row.params();
    const reply = await client.send(params);
    expectCode(binding, reply, row);
    const id = String(reply.error?.metadata['taskId']);
    const { result } = await client.ask('GetTask', { id });
    expect(result).toMatchObject({
      status: { state: 'TASK_STATE_FAILED' },
      metadata: { [URI]: { code: `SKILL_DIRECT_INVOKE_${row.code}`, callId: 'call-1' } },
    });
    expect(result).not.toHaveProperty('artifacts');
    const again = await client.send(params);
    expectCode(binding, again, row);
    expect(again.error?.metadata['taskId']).toBe(id);
  });

  it.each(FAILURES)('$code: streamed, it is the final status', async (row) => {
    const params = row.params();
    const stream = await alice.over(binding).send(params, 'SendStreamingMessage');
    expect(stream.headers.get('a2a-extensions')).toBe(URI);
    expect(stream.events?.map(({ response }) => response)).toMatchObject([
      { task: { status: { state: 'TASK_STATE_SUBMITTED' } } },
      {
        statusUpdate: {
          status: { state: 'TASK_STATE_FAILED' },
          metadata: { [URI]: { code: `SKILL_DIRECT_INVOKE_${row.code}`, callId: 'call-1' } },
        },
      },
    ]);
    expect(stream.text).not.toMatch(/db7\.internal|127\.0\.0\.1|ECONNREFUSED/);
    // The very same message again, as a unary call: the same failure, of the same task.
    const again = await alice.over(binding).send(params);
    expectCode(binding, again, row);
    expect(again.error?.metadata['taskId']).toBe(taskIdOf(stream));
  });

  it('IDEMPOTENCY_CONFLICT: another call under a key, or under a message id, that was used', async () => {
    const client = alice.over(binding);
    const payload = { idempotencyKey: `conflict-${binding.name}` };
    await client.invoke('calculate_sum', SUM, { payload });
    const other = await client.invoke('calculate_sum', { a: 1, b: 1 }, { payload });
    expectCode(binding, other, {
      ...{ code: 'IDEMPOTENCY_CONFLICT', params: calling('') },
      ...{ refusal: 'idempotency-key-reused', fields: [payloadPointer('/idempotencyKey')] },
    });
    const message = { messageId: `used-${binding.name}` };
    await client.invoke('calculate_sum', SUM, { message });
    const reused = await client.invoke('calculate_sum', { a: 1, b: 1 }, { message });
    expectCode(binding, reused, {
      ...{ code: 'IDEMPOTENCY_CONFLICT', params: calling('') },
      ...{ refusal: 'message-id-reused', fields: ['/message/messageId'] },
    });
  });

  it('a bad token is 401, whatever is called', async () => {
    const bad = new AgentClient(service, CALCULATOR, 'no-token', binding);
    for (const skillId of ['calculate_sum', 'open', 'nowhere']) {
      expect((await bad.invoke(skillId, SUM)).status).toBe(401);
    }
  });
});
