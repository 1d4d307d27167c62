import { describe, expect, it } from '@jest/globals';
import {
  directFailure,
  failureMetadata,
  failureOfTurn,
} from '../../../src/a2a/direct-invoke/direct-failure.js';
import {
  DIRECT_INVOKE_CODES,
  directRefusal,
} from '../../../src/a2a/direct-invoke/direct-refusal.js';
import { inWordsOfDirect } from '../../../src/a2a/direct-invoke/turn-refusal.js';
import type { TurnFailure } from '../../../src/a2a/turns/turn-plan.js';
import type { RoutingLayer } from '../../../src/a2a/routing/decision.js';
import { failureOf } from '../../../src/a2a/transports/failure.js';
import type { A2aRefusal } from '../../../src/a2a/wire/refusal.js';
import type { TaskState } from '../../../src/a2a/wire/types.js';
import type { JsonObject } from '../../../src/kernel/json.js';
import { DIRECT_URI as URI } from '../../capabilities/support/extensions.js';

const CALL = { callId: 'direct-call-1', traceId: 'trace-1' };

function stored(
  state: TaskState,
  metadata: JsonObject | undefined,
  layer: RoutingLayer = 'direct-invoke',
): Parameters<typeof directFailure>[0] {
  const message = {
    messageId: 'm',
    role: 'ROLE_AGENT',
    parts: [{ text: 'The backend of the skill has failed.' }],
  } as const;
  return {
    task: {
      id: 'task-1',
      contextId: 'c',
      status: { state, message, timestamp: '2030-01-01T00:00:00.000Z' },
      ...(metadata === undefined ? {} : { metadata }),
    },
    routing: { layer, candidates: [], confidence: 1 },
  };
}

describe('the error that a failed direct invoke is to a unary request', () => {
  it('is what stands in the task, with its id', () => {
    const metadata = failureMetadata(URI, CALL, {
      code: 'BACKEND_UNAVAILABLE',
      refusal: 'timed-out',
      retryAfterSeconds: 30,
    });
    const refusal = directFailure(stored('TASK_STATE_FAILED', metadata), URI);
    expect(refusal).toEqual({
      error: 'InvalidParams',
      code: 'SKILL_DIRECT_INVOKE_BACKEND_UNAVAILABLE',
      detail: 'The backend of the skill has failed.',
      metadata: {
        code: 'SKILL_DIRECT_INVOKE_BACKEND_UNAVAILABLE',
        refusal: 'timed-out',
        taskId: 'task-1',
        ...CALL,
      },
      retryAfterSeconds: 30,
    });
  });

  it.each(DIRECT_INVOKE_CODES)('says %s again, however often it is asked', (code) => {
    const metadata = failureMetadata(URI, CALL, { code, refusal: null });
    for (const state of ['TASK_STATE_FAILED', 'TASK_STATE_REJECTED'] as const) {
      expect(directFailure(stored(state, metadata), URI)?.code).toBe(`SKILL_DIRECT_INVOKE_${code}`);
    }
  });

  it.each([
    undefined,
    {},
    { [URI]: null },
    { [URI]: { code: 'NONE' } },
    { [URI]: { metrics: {} } },
  ])('says that it was interrupted when the task does not say why (%j)', (metadata) => {
    expect(directFailure(stored('TASK_STATE_FAILED', metadata), URI)).toMatchObject({
      code: 'SKILL_DIRECT_INVOKE_BACKEND_UNAVAILABLE',
      metadata: { refusal: 'interrupted', taskId: 'task-1' },
    });
  });

  it.each([
    'TASK_STATE_COMPLETED',
    'TASK_STATE_CANCELED',
    'TASK_STATE_AUTH_REQUIRED',
    'TASK_STATE_SUBMITTED',
    'TASK_STATE_WORKING',
  ] as const)('is none of a task that is %s', (state) => {
    const metadata = { [URI]: { code: 'SKILL_DIRECT_INVOKE_BACKEND_FAILED' } };
    expect(directFailure(stored(state, metadata), URI)).toBeUndefined();
  });

  it('is none of a task that is no direct invoke, whatever its metadata says', () => {
    const metadata = { [URI]: { code: 'SKILL_DIRECT_INVOKE_BACKEND_FAILED' } };
    expect(
      directFailure(stored('TASK_STATE_FAILED', metadata, 'text-classifier'), URI),
    ).toBeUndefined();
  });
});

describe('a turn that ended without a word of its backend', () => {
  it.each<readonly [TurnFailure, string]>([
    ['not-recorded', 'BACKEND_UNAVAILABLE'],
    ['voided', 'FORBIDDEN'],
    ['approval-denied', 'FORBIDDEN'],
    ['approval-expired', 'FORBIDDEN'],
    ['approval-void', 'FORBIDDEN'],
    ['timed-out', 'BACKEND_UNAVAILABLE'],
    ['interrupted', 'BACKEND_UNAVAILABLE'],
    ['handler-failed', 'BACKEND_FAILED'],
  ])('%s is %s', (why, code) => {
    expect(failureOfTurn(why)).toEqual({ code, refusal: why });
  });
});

describe('what all turns have, in the words of the extension', () => {
  const of = (refusal: Partial<A2aRefusal>): A2aRefusal =>
    inWordsOfDirect({ error: 'InvalidParams', detail: 'x', ...refusal }, CALL, '/payload');

  it.each<readonly [A2aRefusal['error'], string, string]>([
    ['InvalidParams', 'message-id-reused', 'IDEMPOTENCY_CONFLICT'],
    ['InvalidParams', 'idempotency-key-reused', 'IDEMPOTENCY_CONFLICT'],
    ['InvalidParams', 'idempotency-key-spent', 'IDEMPOTENCY_CONFLICT'],
    ['Unavailable', 'capability-busy', 'BACKEND_UNAVAILABLE'],
    ['RateLimited', 'rate-limited', 'BACKEND_UNAVAILABLE'],
    ['InvalidParams', 'message-too-large', 'INVALID_ARGUMENTS'],
    ['InvalidParams', 'too-many-parts', 'INVALID_ARGUMENTS'],
  ])('%s %s is %s', (error, code, full) => {
    const faults = [{ pointer: '/message', detail: 'x' }];
    expect(of({ error, code, faults, metadata: { skillId: 'sum' } })).toMatchObject({
      error: 'InvalidParams',
      code: `SKILL_DIRECT_INVOKE_${full}`,
      metadata: { refusal: code, skillId: 'sum', ...CALL },
      faults: [
        { pointer: code.startsWith('idempotency') ? '/payload/idempotencyKey' : '/message' },
      ],
    });
  });

  it('keeps when to ask again', () => {
    const refusal = of({ error: 'RateLimited', code: 'rate-limited', retryAfterSeconds: 7 });
    expect(refusal.retryAfterSeconds).toBe(7);
  });

  it('leaves alone what is no matter of it', () => {
    const refusal = { error: 'TaskNotFound', detail: 'x' } as const;
    expect(of(refusal)).toEqual(refusal);
    expect(of({ code: 'context-mismatch' }).code).toBe('context-mismatch');
  });
});

describe('RFC section 5, error codes on the wire', () => {
  it('are a reason of ours, repeated in metadata.code, with pointers and the time to ask again', () => {
    const failure = failureOf(
      directRefusal('BACKEND_UNAVAILABLE', 'Not now.', CALL, {
        refusal: 'rate-limited',
        faults: [{ pointer: '/message', detail: 'x' }],
        retryAfterSeconds: 7,
      }),
    );
    expect(failure).toEqual({
      http: 400,
      rpcHttp: 200,
      code: -32602,
      status: 'INVALID_ARGUMENT',
      message: 'Not now.',
      headers: { 'retry-after': '7' },
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: 'SKILL_DIRECT_INVOKE_BACKEND_UNAVAILABLE',
          domain: 'countersign.example',
          metadata: {
            code: 'SKILL_DIRECT_INVOKE_BACKEND_UNAVAILABLE',
            refusal: 'rate-limited',
            ...CALL,
          },
        },
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: [{ field: '/message', description: 'x' }],
        },
        { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' },
      ],
    });
  });

  it('are RESOURCE_EXHAUSTED and 429 for a routed message that comes too often', () => {
    const refusal = { error: 'RateLimited', code: 'rate-limited', detail: 'x' } as const;
    expect(failureOf({ ...refusal, retryAfterSeconds: 3 })).toMatchObject({
      http: 429,
      code: -32000,
      status: 'RESOURCE_EXHAUSTED',
      headers: { 'retry-after': '3' },
      details: [{ reason: 'RATE_LIMITED', domain: 'countersign.example' }, { retryDelay: '3s' }],
    });
  });
});
