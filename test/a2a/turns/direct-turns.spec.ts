import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SendMessageRequest, SendMessageResponse, Task } from '../../../src/a2a/wire/types.js';
import type { A2aRefusal } from '../../../src/a2a/wire/refusal.js';
import type { BackendCall, BackendFailure } from '../../../src/invocations/commands/backends.js';
import {
  AttemptFault,
  backendFailureOf,
  type FaultKind,
} from '../../../src/invocations/backends/attempt-fault.js';
import type { Caller } from '../../../src/kernel/caller.js';
import { hashJson } from '../../../src/kernel/digest.js';
import type { Json, JsonObject } from '../../../src/kernel/json.js';
import { err, ok, type Result } from '../../../src/kernel/result.js';
import {
  capability,
  partner,
  type CapabilityChanges,
} from '../../capabilities/support/capabilities.js';
import { eventually } from '../../support/eventually.js';
import { DIRECT, Messaging, saying } from '../support/messaging.js';

const ADD: CapabilityChanges = {
  directInvoke: {
    inputSchema: { type: 'object', required: ['a'] },
    outputSchema: { type: 'object' },
    backend: {},
    allowUnauthenticated: false,
  },
};

let messaging: Messaging;
let backend: (call: BackendCall) => Promise<Result<Json, BackendFailure>>;
let calls: BackendCall[];

beforeEach(async () => {
  calls = [];
  backend = async ({ arguments: given }) => ok({ given });
  await open();
});

afterEach(async () => {
  await messaging.close();
});

async function open(changes: CapabilityChanges = {}, executionTimeoutMs = 60_000): Promise<void> {
  messaging = await Messaging.open({
    capabilities: [capability('add', { ...ADD, ...changes })],
    executionTimeoutMs,
    backends: {
      'handler.add': {
        summary: {},
        invoke: async (call) => {
          calls.push(call);
          return backend(call);
        },
      },
    },
  });
}

async function reopen(changes: CapabilityChanges, executionTimeoutMs?: number): Promise<void> {
  await messaging.close();
  await open(changes, executionTimeoutMs);
}

function adding(given: JsonObject, more: JsonObject = {}): SendMessageRequest {
  const call = { callId: 'c', skillId: 'add', arguments: given, bypassModel: true, ...more };
  return saying('', { extensions: [DIRECT], metadata: { [DIRECT]: call } });
}

async function send(
  params: SendMessageRequest,
  caller: Caller | null = partner(),
): Promise<Result<SendMessageResponse, A2aRefusal>> {
  return messaging.messages.send(messaging.request(caller, undefined, [DIRECT]), params);
}

async function taskOf(params: SendMessageRequest, caller?: Caller): Promise<Task> {
  const sent = await send(params, caller);
  if (!sent.ok || !('task' in sent.value)) throw new Error(JSON.stringify(sent));
  return sent.value.task;
}

async function refusalOf(params: SendMessageRequest, caller?: Caller): Promise<A2aRefusal> {
  const sent = await send(params, caller);
  if (sent.ok) throw new Error(JSON.stringify(sent.value));
  return sent.error;
}

describe('a direct invoke', () => {
  it('is a turn of a task of its own, on record with the digests of arguments and result', async () => {
    const task = await taskOf(adding({ a: 1 }));
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(task.artifacts![0]!.parts[0]!.data).toEqual({ given: { a: 1 } });
    expect(messaging.ledger.admissions).toMatchObject([
      {
        taskId: task.id,
        rule: 'entitlement',
        routing: { layer: 'direct-invoke', confidence: 1 },
        argumentsDigest: hashJson({ a: 1 }),
      },
    ]);
    const { invocationId } = messaging.ledger.admissions[0]!;
    await eventually(() => messaging.ledger.ends[0] === 'succeeded');
    const result = hashJson({ given: { a: 1 } });
    expect(messaging.ledger.resultDigests.get(invocationId)).toBe(result);
  });

  it('without a key is known by the id of its message', async () => {
    const params = adding({ a: 1 });
    const { id } = await taskOf(params);
    expect((await taskOf(params)).id).toBe(id);
    expect(calls).toHaveLength(1);
    const { messageId } = params.message;
    const other = adding({ a: 2 });
    const reused = { ...other, message: { ...other.message, messageId } };
    expect(await refusalOf(reused)).toMatchObject({
      code: 'SKILL_DIRECT_INVOKE_IDEMPOTENCY_CONFLICT',
      metadata: { refusal: 'message-id-reused' },
    });
  });

  it('is what its message is alone: without the header it is an ordinary message', async () => {
    const task = await messaging.taskOf(adding({ a: 1 }));
    expect(task.artifacts![0]!.artifactId).toBe('echo');
    expect(calls).toHaveLength(0);
  });
});

describe('a backend that gives no answer', () => {
  it.each<[FaultKind, string, string]>([
    ['lost', 'backend-lost', 'outcome-unknown'],
    ['timed-out', 'backend-timed-out', 'outcome-unknown'],
    ['broken', 'backend-broken', 'outcome-unknown'],
    ['unfinished', 'backend-unfinished', 'outcome-unknown'],
    ['unsent', 'backend-not-reached', 'failed'],
    ['not-tried', 'backend-not-tried', 'failed'],
    ['busy', 'backend-busy', 'failed'],
  ])('(%s) is on record as what is known of it', async (kind, refusal, outcome) => {
    backend = async () => err(backendFailureOf(new AttemptFault(kind, 'as told')));
    const params = adding({ a: 1 });
    const failed = { metadata: { refusal } };
    expect(await refusalOf(params)).toMatchObject(failed);
    await eventually(
      () => messaging.ledger.ends.length === 1 && messaging.ledger.ends[0] !== undefined,
    );
    expect(messaging.ledger.ends).toEqual([outcome]);
    // A replay answers alike.
    expect(await refusalOf(params)).toMatchObject(failed);
    expect(calls).toHaveLength(1);
  });
});

describe('a key', () => {
  it('makes fifty calls at once one', async () => {
    await reopen({ limits: { max_concurrent: 1, max_calls_per_minute: 2 } });
    const many = Array.from({ length: 50 }, async () =>
      taskOf(adding({ a: 1 }, { idempotencyKey: 'k' })),
    );
    const ids = new Set((await Promise.all(many)).map(({ id }) => id));
    expect(ids.size).toBe(1);
    expect(calls).toHaveLength(1);
    expect(messaging.ledger.admissions).toHaveLength(1);
    // Forty-nine of them were no calls.
    await taskOf(adding({ a: 2 }, { idempotencyKey: 'another' }));
  });

  it('is taken once, whatever the message, for the same arguments in any order', async () => {
    const { id } = await taskOf(adding({ a: 1, b: 2 }, { idempotencyKey: 'k' }));
    const again = adding({ b: 2, a: 1 }, { idempotencyKey: 'k', callId: 'another' });
    expect((await taskOf(again)).id).toBe(id);
    expect(await refusalOf(adding({ a: 2 }, { idempotencyKey: 'k' }))).toMatchObject({
      code: 'SKILL_DIRECT_INVOKE_IDEMPOTENCY_CONFLICT',
      metadata: { refusal: 'idempotency-key-reused' },
    });
    expect(calls).toHaveLength(1);
  });

  it('is of one principal', async () => {
    const params = adding({ a: 1 }, { idempotencyKey: 'k' });
    const { id } = await taskOf(params);
    const other = { ...partner(), principal: 'another|partner' };
    expect((await taskOf(params, other)).id).not.toBe(id);
  });

  it('gives no task to another agent of the same principal', async () => {
    await taskOf(adding({ a: 1 }, { idempotencyKey: 'k' }));
    const other = partner({ agent: 'another-agent' });
    expect(await send(adding({ a: 1 }, { idempotencyKey: 'k' }), other)).toMatchObject({
      ok: false,
      error: { metadata: { refusal: 'idempotency-key-reused' } },
    });
  });

  it('is spent when the task is gone: nothing runs twice', async () => {
    await taskOf(adding({ a: 1 }, { idempotencyKey: 'k' }));
    const { load } = messaging.tasks;
    messaging.tasks.load = async () => undefined;
    expect(await refusalOf(adding({ a: 1 }, { idempotencyKey: 'k' }))).toMatchObject({
      code: 'SKILL_DIRECT_INVOKE_IDEMPOTENCY_CONFLICT',
      metadata: { refusal: 'idempotency-key-spent' },
    });
    messaging.tasks.load = load;
    expect(calls).toHaveLength(1);
  });

  it('gives the failure of the first call again', async () => {
    backend = async () => err({ kind: 'failed', detail: 'secret' });
    const params = adding({ a: 1 }, { idempotencyKey: 'k' });
    const first = await refusalOf(params);
    expect(first).toMatchObject({ code: 'SKILL_DIRECT_INVOKE_BACKEND_FAILED' });
    backend = async () => ok({});
    expect(await refusalOf(adding({ a: 1 }, { idempotencyKey: 'k' }))).toEqual(first);
    expect(calls).toHaveLength(1);
  });
});

describe('the limits of a capability', () => {
  it('count a direct invoke by its message, and are told in its codes', async () => {
    await reopen({ limits: { max_message_bytes: 400 } });
    await taskOf(adding({ a: 1 }));
    expect(await refusalOf(adding({ a: 'x'.repeat(300) }))).toMatchObject({
      code: 'SKILL_DIRECT_INVOKE_INVALID_ARGUMENTS',
      metadata: { refusal: 'message-too-large' },
    });
  });

  it('end one that takes too long', async () => {
    await reopen({}, 60);
    backend = async ({ signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          resolve(err(backendFailureOf(new AttemptFault('timed-out', 'aborted'))));
        });
      });
    expect(await refusalOf(adding({ a: 1 }))).toMatchObject({
      code: 'SKILL_DIRECT_INVOKE_BACKEND_UNAVAILABLE',
      metadata: { refusal: 'timed-out' },
    });
    await eventually(() => messaging.ledger.ends[0] === 'outcome-unknown');
  });

  it('hold for those that run at once, and say when to come again', async () => {
    await reopen({ limits: { max_concurrent: 1 } });
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    backend = async () => held.then(() => ok({}));
    const running = taskOf(adding({ a: 1 }));
    await eventually(() => calls.length === 1);
    expect(await refusalOf(adding({ a: 2 }))).toMatchObject({
      code: 'SKILL_DIRECT_INVOKE_BACKEND_UNAVAILABLE',
      metadata: { refusal: 'capability-busy' },
      retryAfterSeconds: 1,
    });
    release();
    await running;
  });

  it('hold for those of a minute: replays cost nothing, others are told when to come again', async () => {
    await reopen({ limits: { max_calls_per_minute: 2 } });
    const params = adding({ a: 1 });
    const { id } = await taskOf(params);
    for (let i = 0; i < 5; i++) expect((await taskOf(params)).id).toBe(id);
    await taskOf(adding({ a: 2 }));
    const refusal = await refusalOf(adding({ a: 3 }));
    expect(refusal).toMatchObject({ metadata: { refusal: 'rate-limited' } });
    expect(refusal.retryAfterSeconds).toBeGreaterThan(55);
    expect(refusal.retryAfterSeconds).toBeLessThanOrEqual(60);
    expect((await taskOf(params)).id).toBe(id);
    // Another principal that speaks for the same agent is no other caller.
    const colleague = { ...partner(), principal: 'another|partner' };
    expect(await refusalOf(adding({ a: 3 }), colleague)).toMatchObject({
      metadata: { refusal: 'rate-limited' },
    });
    await taskOf(adding({ a: 3 }), partner({ agent: 'another-agent' }));
    await taskOf(adding({ a: 3 }), { ...colleague, agent: null });
  });
});

describe('calls of a minute', () => {
  it('are counted of messages, too, for each contract by itself', async () => {
    const limits = { max_calls_per_minute: 1 };
    await reopen({ limits, requiresContract: true, action: 'pay', directInvoke: null });
    const terms = { allowedActions: ['pay'] };
    messaging.authorizer.agree({ name: 'a', terms });
    await messaging.taskOf(saying('hello'));
    const sent = await messaging.messages.send(messaging.request(partner()), saying('hello'));
    expect(sent).toMatchObject({
      ok: false,
      error: { error: 'RateLimited', code: 'rate-limited', metadata: { skillId: 'add' } },
    });
    expect(messaging.ledger.admissions).toHaveLength(1);
    messaging.authorizer.agree({ name: 'b', terms });
    await messaging.taskOf(saying('hello'));
  });
});

describe('a direct invoke whose turn dies with its process', () => {
  it('is answered as one that nobody knows the end of', async () => {
    const params = adding({ a: 1 });
    messaging.ledger.admit = async () => {
      throw new Error('the log is away');
    };
    await expect(send(params)).rejects.toThrow('the log is away');
    expect(await refusalOf(params)).toMatchObject({
      code: 'SKILL_DIRECT_INVOKE_BACKEND_UNAVAILABLE',
      metadata: { refusal: 'not-recorded' },
    });
    const { task } = (await messaging.tasks.load(
      messaging.tasks.idFor(
        {
          kind: 'principal',
          tenant: 'partner',
          principal: 'client|partner',
          agent: partner().agent,
        },
        capability('add').manifest.agentId,
        params.message.messageId,
      ),
    ))!;
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    expect(calls).toHaveLength(0);
  });
});
