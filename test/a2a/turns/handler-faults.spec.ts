import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { HandlerEvent } from '../../../src/a2a/handlers/capability-call.js';
import { capability, partner } from '../../capabilities/support/capabilities.js';
import { eventually } from '../../support/eventually.js';
import { RUNS } from '../../support/property-runs.js';
import { Messaging, saying, type Handle, type MessagingOptions } from '../support/messaging.js';

/** Some at every commit, a thousand in the long run. */
const RACES = RUNS.numRuns / 5;

let messaging: Messaging;

async function open(handle: Handle, more: Partial<MessagingOptions> = {}): Promise<Messaging> {
  messaging = await Messaging.open({
    capabilities: [capability('echo')],
    handlers: { 'handler.echo': handle },
    ...more,
  });
  return messaging;
}

function says(...events: readonly HandlerEvent[]): Handle {
  return async function* () {
    yield* events;
  };
}

afterEach(async () => {
  await messaging.close();
});

const parts = [{ text: 'done' }];
const artifact = (id: string, text: string): HandlerEvent => ({
  kind: 'artifact',
  artifact: { artifactId: id, parts: [{ text }] },
});

describe('a handler', () => {
  it.each([
    ['completed', 'TASK_STATE_COMPLETED', 'succeeded'],
    ['failed', 'TASK_STATE_FAILED', 'failed'],
    ['rejected', 'TASK_STATE_REJECTED', 'rejected'],
    ['input-required', 'TASK_STATE_INPUT_REQUIRED', 'succeeded'],
    ['auth-required', 'TASK_STATE_AUTH_REQUIRED', 'succeeded'],
  ] as const)('that says %s leaves the task %s', async (kind, state, outcome) => {
    await open(says({ kind, parts, metadata: { cost: 1 } }));
    const task = await messaging.taskOf(saying('hello'));
    expect(task).toMatchObject({ status: { state, message: { parts } }, metadata: { cost: 1 } });
    await eventually(() => messaging.ledger.ends[0] === outcome);
  });

  it('that returns without an end has completed', async () => {
    await open(says());
    expect((await messaging.taskOf(saying('hello'))).status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('that says much at once needs few appends', async () => {
    const many = Array.from({ length: 500 }, (_, index) => artifact(`a${index}`, 'x'));
    await open(says(...many));
    let appends = 0;
    const record = messaging.tasks.record.bind(messaging.tasks);
    messaging.tasks.record = async (...args) => {
      appends += 1;
      return record(...args);
    };
    const task = await messaging.taskOf(saying('hello'));
    expect(task.artifacts).toHaveLength(500);
    expect(appends).toBeLessThan(10);
  });

  it.each<[string, Handle]>([
    [
      'throws',
      () => {
        throw new Error('secret detail');
      },
    ],
    [
      'throws after a while',
      async function* () {
        yield { kind: 'working' };
        await delay(1);
        throw new Error('secret detail');
      },
    ],
    [
      'throws what is no error',
      async function* () {
        yield { kind: 'working' };
        // eslint-disable-next-line @typescript-eslint/only-throw-error -- handlers may
        throw 'secret detail';
      },
    ],
    ['is no generator', (() => 'secret detail') as unknown as Handle],
  ])('that %s fails the task, and tells nobody why', async (_, handle) => {
    await open(handle);
    const task = await messaging.taskOf(saying('hello'));
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    expect(JSON.stringify(task)).not.toContain('secret detail');
    expect(messaging.faults).toHaveLength(1);
    await eventually(() => messaging.ledger.ends[0] === 'failed');
  });

  it.each<[string, readonly unknown[]]>([
    ['goes on after its end', [{ kind: 'completed' }, artifact('a', 'late')]],
    ['ends twice', [{ kind: 'completed' }, { kind: 'failed' }]],
    ['makes an empty artifact', [{ kind: 'artifact', artifact: { artifactId: 'a', parts: [] } }]],
    ['makes an artifact without id', [artifact('', 'x')]],
    ['makes a part of nothing', [{ kind: 'artifact', artifact: { artifactId: 'a', parts: [{}] } }]],
    ['answers after it began to work', [{ kind: 'working' }, { kind: 'message', parts }]],
    ['answers with nothing', [{ kind: 'message', parts: [] }]],
    [
      'answers twice',
      [
        { kind: 'message', parts },
        { kind: 'message', parts },
      ],
    ],
    ['says what nobody knows', [{ kind: 'sings' }]],
    ['says what is no event', [undefined]],
    ['gives a big integer', [{ kind: 'working', parts: [{ data: 10n }] }]],
    ['gives a function', [{ kind: 'completed', parts: [{ data: () => 1 }] }]],
    ['gives no number', [{ kind: 'message', parts: [{ data: NaN }] }]],
    ['cuts an emoji in two', [artifact('a', '😀'.slice(0, 1))]],
    ['gives a number as a text', [{ kind: 'working', parts: [{ text: 5 }] }]],
  ])('that %s gives an InvalidAgentResponse, and the task has failed', async (_, events) => {
    await open(says(...(events as HandlerEvent[])));
    const params = saying('hello');
    expect(await messaging.refusalOf(params)).toMatchObject({
      error: 'InvalidAgentResponse',
      code: 'handler-broken',
    });
    const again = await messaging.taskOf(params);
    expect(again.status.state).toBe('TASK_STATE_FAILED');
    await eventually(() => messaging.ledger.ends[0] === 'failed');
  });

  it('that breaks the rules keeps what it said before', async () => {
    const broken = { kind: 'working', parts: [{ data: 10n }] } as unknown as HandlerEvent;
    await open(says(artifact('a', 'said'), broken, artifact('b', 'late')));
    const params = saying('hello');
    await messaging.refusalOf(params);
    const { status, artifacts } = await messaging.taskOf(params);
    expect(status.state).toBe('TASK_STATE_FAILED');
    expect(artifacts).toEqual([{ artifactId: 'a', parts: [{ text: 'said' }] }]);
    expect(String(messaging.faults[0])).toMatch(/handler\.echo says .* \(json-no-value\)$/);
  });

  it('may use one object for all that it says', async () => {
    await open(async function* () {
      const part = { text: '' };
      const chunk = { kind: 'artifact' as const, artifact: { artifactId: 'a', parts: [part] } };
      for (part.text of ['one', 'two', 'three', 'four']) yield { ...chunk, append: true };
      part.text = 'nothing';
    });
    const task = await messaging.taskOf(saying('hello'));
    const said = task.artifacts?.[0]?.parts.map(({ text }) => text);
    expect(said).toEqual(['one', 'two', 'three', 'four']);
  });

  it('may change what it is given of the message and of the task, which are its own', async () => {
    await open(async function* ({ message, task, caller }) {
      (message.parts[0] as { text: string }).text = 'something else';
      (task.history as unknown[]).length = 0;
      (caller!.allScopes as Set<string>).add('more');
      yield { kind: 'completed' };
    });
    const caller = partner();
    const params = saying('hello');
    const task = await messaging.taskOf(params, caller);
    expect(task.history?.map((each) => each.parts)).toEqual([[{ text: 'hello' }]]);
    expect((await messaging.taskOf(params, caller)).id).toBe(task.id);
    expect(caller.allScopes.has('more')).toBe(false);
  });

  it('cannot change the grant, which holds the manifest of every call', async () => {
    await open(async function* ({ grant }) {
      yield { kind: 'working' };
      (grant.manifest.limits as Record<string, number>)['max_concurrent'] = 0;
    });
    for (const text of ['first', 'second']) {
      expect((await messaging.taskOf(saying(text))).status.state).toBe('TASK_STATE_FAILED');
    }
    expect(messaging.calls).toHaveLength(2);
    expect(String(messaging.faults[0])).toMatch('TypeError');
  });

  it('that says that nobody knows what was done has it on record so', async () => {
    await open(says({ kind: 'failed', isUnknown: true }));
    expect((await messaging.taskOf(saying('hello'))).status.state).toBe('TASK_STATE_FAILED');
    await eventually(() => messaging.ledger.ends[0] === 'outcome-unknown');
  });

  it('whose end cannot be recorded has an unknown outcome', async () => {
    await open(says({ kind: 'completed' }));
    messaging.tasks.record = async () => Promise.reject(new Error('the log is away'));
    await expect(messaging.taskOf(saying('hello'))).rejects.toThrow('the log is away');
    await eventually(() => messaging.ledger.ends[0] === 'outcome-unknown');
  });

  it('whose words cannot be recorded is stopped at once, and its task says so', async () => {
    let signal: AbortSignal | undefined;
    await open(async function* (call) {
      signal = call.signal;
      yield artifact('a', 'lost');
      await new Promise(() => undefined);
    });
    const record = messaging.tasks.record.bind(messaging.tasks);
    messaging.tasks.record = async () => {
      messaging.tasks.record = record;
      return Promise.reject(new Error('the log is away'));
    };
    const task = await messaging.taskOf(saying('hello'));
    expect(signal?.aborted).toBe(true);
    expect(task.artifacts).toBeUndefined();
    expect(task.status).toMatchObject({
      state: 'TASK_STATE_FAILED',
      message: { parts: [{ text: expect.stringContaining('could not be recorded') }] },
    });
    expect(messaging.faults).toEqual([new Error('the log is away')]);
    await eventually(() => messaging.ledger.ends[0] === 'interrupted');
  });

  it('that was canceled while its words could not be recorded stays canceled', async () => {
    await open(async function* () {
      yield artifact('a', 'lost');
      await new Promise(() => undefined);
    });
    const record = messaging.tasks.record.bind(messaging.tasks);
    messaging.tasks.record = async (id) => {
      messaging.tasks.record = record;
      await messaging.cancel(id);
      throw new Error('the log is away');
    };
    const task = await messaging.taskOf(saying('hello'));
    expect(task.status.state).toBe('TASK_STATE_CANCELED');
    await eventually(() => messaging.ledger.ends[0] === 'canceled');
  });

  it('that takes too long is stopped, whether it minds or not', async () => {
    let signal: AbortSignal | undefined;
    await open(
      async function* (call) {
        signal = call.signal;
        yield { kind: 'working' };
        await new Promise(() => undefined);
      },
      { executionTimeoutMs: 200 },
    );
    const task = await messaging.taskOf(saying('hello'));
    expect(task.status).toMatchObject({
      state: 'TASK_STATE_FAILED',
      message: { parts: [{ text: expect.stringContaining('in time') }] },
    });
    expect(signal?.aborted).toBe(true);
    await eventually(() => messaging.ledger.ends[0] === 'outcome-unknown');
  });

  it('is told when the node stops, and its task says so', async () => {
    await open(async function* () {
      yield { kind: 'working' };
      await new Promise(() => undefined);
    });
    const sent = messaging.taskOf(saying('hello'));
    await eventually(() => messaging.calls.length === 1);
    await messaging.turns.onModuleDestroy();
    const task = await sent;
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    expect(messaging.ledger.ends).toEqual(['interrupted']);
    expect(await messaging.refusalOf(saying('one more'))).toMatchObject({
      code: 'capability-busy',
    });
  });

  it('goes on when its client is gone', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await open(async function* () {
      yield { kind: 'working' };
      await held;
      yield { kind: 'completed', parts };
    });
    const gone = new AbortController();
    const params = saying('hello');
    const sent = messaging.messages.send(messaging.request(partner(), gone.signal), params);
    await eventually(() => messaging.calls.length === 1);
    gone.abort();
    release();
    await sent;
    expect((await messaging.taskOf(params)).status.state).toBe('TASK_STATE_COMPLETED');
  });
});

describe('a canceled task', () => {
  it('aborts its handler, and stays canceled', async () => {
    let signal: AbortSignal | undefined;
    await open(async function* (call) {
      signal = call.signal;
      yield { kind: 'working' };
      await new Promise((resolve) => call.signal.addEventListener('abort', resolve));
      yield { kind: 'completed' };
    });
    const params = { ...saying('hello'), configuration: { returnImmediately: true } };
    const { id } = await messaging.taskOf(params);
    expect(await messaging.cancel(id)).toBe(true);
    await eventually(() => signal?.aborted === true);
    await eventually(() => messaging.ledger.ends[0] === 'canceled');
    expect((await messaging.taskOf(params)).status.state).toBe('TASK_STATE_CANCELED');
    expect(await messaging.cancel(id)).toBe(true);
  });

  it('has one end, whoever wins the race with its handler', async () => {
    await open(async function* () {
      await delay(Math.random() * 6);
      yield { kind: 'completed', parts };
    });
    for (let round = 0; round < RACES; round++) {
      const params = saying('hello');
      const { id } = await messaging.taskOf({
        ...params,
        configuration: { returnImmediately: true },
      });
      await delay(Math.random() * 6);
      const isCanceled = await messaging.cancel(id);
      const { status } = await messaging.taskOf(params);
      expect(status.state).toBe(isCanceled ? 'TASK_STATE_CANCELED' : 'TASK_STATE_COMPLETED');
      await eventually(() => messaging.ledger.ends[round] !== undefined);
      expect(messaging.ledger.ends[round]).toBe(isCanceled ? 'canceled' : 'succeeded');
    }
  });
});
