import { describe, expect, it } from '@jest/globals';
import type { FaultKind } from '../../../src/invocations/backends/attempt-fault.js';
import { ok } from '../../../src/kernel/result.js';
import type { Json } from '../../../src/kernel/json.js';
import { capability, partner } from '../../capabilities/support/capabilities.js';
import { DIRECT_URI as URI } from '../../capabilities/support/extensions.js';
import {
  DEADLINE,
  directMessage,
  DirectWorld,
  failing,
  INVOCATION_ID,
  payload,
  SUM,
} from './support/direct-world.js';

const sum = capability('sum', { directInvoke: SUM });

describe('RFC section 3.6, response', () => {
  it('is one artifact of one data part, then completed with all six metrics, and nothing else', async () => {
    const world = new DirectWorld(sum);
    world.answer = async () => {
      world.now += 7.1234567;
      return ok({ sum: 42 });
    };
    const plan = world.plan(directMessage(payload({ traceId: 'trace-1' })));
    await plan;
    const events = await world.events(directMessage(payload({ traceId: 'trace-1' })));
    expect(events).toEqual([
      {
        kind: 'artifact',
        artifact: {
          artifactId: 'result',
          parts: [{ data: { sum: 42 }, mediaType: 'application/json' }],
        },
        lastChunk: true,
      },
      {
        kind: 'completed',
        metadata: {
          [URI]: {
            callId: 'direct-call-1',
            traceId: 'trace-1',
            metrics: {
              serverDispatchLatencyMs: 0,
              backendLatencyMs: 7.123,
              llmPlanningLatencyMs: 0,
              inputTokens: 0,
              outputTokens: 0,
              totalTokens: 0,
            },
          },
        },
      },
    ]);
  });

  it('counts for dispatch what came before the backend and after it', async () => {
    const world = new DirectWorld(sum);
    const { get } = world.backends;
    world.backends.get = (...which) => {
      world.now += 2;
      return get.apply(world.backends, which);
    };
    world.answer = async () => {
      world.now += 100;
      // What reads the answer takes time, too.
      return ok(
        Object.defineProperty({}, 'sum', {
          enumerable: true,
          get: () => {
            world.now += 0.5;
            return 42;
          },
        }) as Json,
      );
    };
    const metadata = (await world.events()).at(-1);
    const { serverDispatchLatencyMs, backendLatencyMs } = (
      metadata as unknown as Record<string, Record<string, Record<string, Record<string, number>>>>
    )['metadata']?.[URI]?.['metrics'] as Record<string, number>;
    expect(backendLatencyMs).toBe(100);
    expect(serverDispatchLatencyMs).toBeGreaterThan(2);
    expect(serverDispatchLatencyMs).toBeLessThan(10);
  });

  it('leaves out a trace id that nobody gave', async () => {
    const [, completed] = await new DirectWorld(sum).events();
    expect(completed).not.toHaveProperty(['metadata', URI, 'traceId']);
  });
});

describe('RFC section 4, backend binding and security', () => {
  it('hands the backend what was checked, and no more than its caller may', async () => {
    const scopes = ['ledger.read', 'ledger.write', 'interactions:read'];
    const world = new DirectWorld(
      capability('sum', {
        directInvoke: SUM,
        visibility: 'extended',
        requiresScopes: ['ledger.read'],
      }),
    );
    const caller = partner({ scopes });
    await world.events(directMessage(payload({ traceId: 'trace-1' })), caller);
    expect(world.calls).toEqual([
      {
        invocationId: INVOCATION_ID,
        agentId: 'finance-agent',
        skillId: 'sum',
        arguments: { a: 12, b: 30 },
        caller,
        scopes: ['ledger.read'],
        terms: null,
        traceId: 'trace-1',
        traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
        deadline: DEADLINE,
        signal: expect.any(AbortSignal),
      },
    ]);
  });

  it('asks the backend once, also when it fails', async () => {
    const world = new DirectWorld(sum);
    world.answer = failing('unsent');
    await world.events();
    expect(world.calls).toHaveLength(1);
  });
});

describe('RFC section 5, error codes', () => {
  it.each<[FaultKind, string | undefined, string, boolean]>([
    ['not-tried', 'backend-not-tried', 'BACKEND_UNAVAILABLE', false],
    ['unsent', 'backend-not-reached', 'BACKEND_UNAVAILABLE', false],
    ['busy', 'backend-busy', 'BACKEND_UNAVAILABLE', false],
    ['lost', 'backend-lost', 'BACKEND_UNAVAILABLE', true],
    ['timed-out', 'backend-timed-out', 'BACKEND_UNAVAILABLE', true],
    ['broken', 'backend-broken', 'BACKEND_UNAVAILABLE', true],
    ['unfinished', 'backend-unfinished', 'BACKEND_UNAVAILABLE', true],
    ['canceled', 'backend-canceled', 'BACKEND_UNAVAILABLE', true],
    ['answered', undefined, 'BACKEND_FAILED', false],
  ])(
    'tells whether anything can have been done: %s is %s',
    async (kind, refusal, code, isUnknown) => {
      const world = new DirectWorld(sum);
      world.answer = failing(kind);
      const [failed] = await world.events();
      const about = {
        code: `SKILL_DIRECT_INVOKE_${code}`,
        ...(refusal === undefined ? {} : { refusal }),
        callId: 'direct-call-1',
      };
      const unknown = isUnknown ? { isUnknown } : {};
      expect(failed).toEqual({
        kind: 'failed',
        parts: [
          { text: expect.stringMatching(isUnknown ? /may have been done/ : /^((?!may).)*$/) },
        ],
        metadata: { [URI]: about },
        ...unknown,
      });
      expect(JSON.stringify(failed)).not.toContain('db7.internal');
    },
  );

  it.each([
    ['BACKEND_FAILED', failing('answered')],
    ['OUTPUT_INVALID', async () => ok({ sum: 'db7.internal:5432' })],
    ['OUTPUT_INVALID', async () => ok(null)],
    ['OUTPUT_INVALID', async () => ok({ sum: 1, more: Array.from({ length: 6000 }, () => 0) })],
  ])('%s: the turn fails, and only operators learn what was said', async (code, answer) => {
    const world = new DirectWorld(sum);
    world.answer = answer;
    const events = await world.events(directMessage(payload({ traceId: 'trace-1' })));
    expect(events).toEqual([
      {
        kind: 'failed',
        parts: [{ text: expect.stringMatching(/backend/) }],
        metadata: {
          [URI]: {
            code: `SKILL_DIRECT_INVOKE_${code}`,
            callId: 'direct-call-1',
            traceId: 'trace-1',
          },
        },
      },
    ]);
    expect(JSON.stringify(events)).not.toContain('db7.internal');
    expect(world.reports).toMatchObject([
      { about: { invocationId: INVOCATION_ID, skillId: 'sum', handler: 'handler.sum' } },
    ]);
  });

  it('says when an unavailable backend may be asked again', async () => {
    const world = new DirectWorld(sum);
    world.answer = failing('busy', 30);
    expect(await world.events()).toMatchObject([
      { metadata: { [URI]: { retryAfterSeconds: 30 } } },
    ]);
  });

  it('does not repeat in the log what a backend answered, only where it does not fit', async () => {
    const world = new DirectWorld(sum);
    world.answer = async () => ok({ sum: 'hunter2' });
    await world.events();
    expect(JSON.stringify(world.reports)).not.toContain('hunter2');
    expect(world.reports).toMatchObject([{ about: { faults: [{ pointer: '/sum' }] } }]);
  });

  it('lets nothing out by an output schema that does not compile', async () => {
    const directInvoke = { ...SUM, outputSchema: { pattern: '(' } };
    const world = new DirectWorld(capability('sum', { directInvoke }));
    expect(await world.events()).toMatchObject([{ kind: 'failed' }]);
  });
});
