import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { TaskEvent } from '../../../src/a2a/tasks/port.js';
import type { SendMessageRequest } from '../../../src/a2a/wire/types.js';
import { capability, partner } from '../../capabilities/support/capabilities.js';
import { eventually } from '../../support/eventually.js';
import { echo, Messaging, saying, type Handle } from '../support/messaging.js';

let messaging: Messaging;

async function open(handle: Handle = echo): Promise<void> {
  messaging = await Messaging.open({
    capabilities: [capability('echo')],
    handlers: { 'handler.echo': handle },
  });
}

afterEach(async () => {
  await messaging.close();
});

async function eventsOf(
  params: SendMessageRequest,
  signal?: AbortSignal,
): Promise<readonly TaskEvent[]> {
  const streamed = await messaging.messages.stream(messaging.request(partner(), signal), params);
  if (!streamed.ok) throw new Error(JSON.stringify(streamed.error));
  const events: TaskEvent[] = [];
  for await (const event of streamed.value) events.push(event);
  return events;
}

function kindsOf(events: readonly TaskEvent[]): readonly string[] {
  return events.map(({ response }) => {
    const [kind = ''] = Object.keys(response);
    return 'statusUpdate' in response ? response.statusUpdate.status.state : kind;
  });
}

describe('a stream', () => {
  it('begins with the task, and goes on with every event of its turn', async () => {
    await open(async function* () {
      yield { kind: 'working' };
      yield { kind: 'artifact', artifact: { artifactId: 'a', parts: [{ text: '1' }] } };
      yield { kind: 'completed' };
    });
    const events = await eventsOf(saying('hello'));
    expect(kindsOf(events)).toEqual([
      'task',
      'TASK_STATE_WORKING',
      'artifactUpdate',
      'TASK_STATE_COMPLETED',
    ]);
    const ids = events.map(({ id }) => Number(id));
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('shows the task soon, however long its handler keeps silent', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await open(async function* () {
      await held;
      yield { kind: 'message', parts: [{ text: 'late' }] };
    });
    const streamed = await messaging.messages.stream(messaging.request(partner()), saying('hi'));
    if (!streamed.ok) throw new Error('refused');
    const events = streamed.value[Symbol.asyncIterator]();
    expect((await events.next()).value).toMatchObject({ response: { task: {} } });
    release();
    expect((await events.next()).value).toMatchObject({
      response: { statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } },
    });
    expect((await events.next()).done).toBe(true);
  });

  it('is one message, when that is the answer', async () => {
    await open(async function* () {
      yield { kind: 'message', parts: [{ text: 'pong' }] };
    });
    const params = saying('ping');
    const events = await eventsOf(params);
    expect(kindsOf(events)).toEqual(['message']);
    expect(await eventsOf(params)).toEqual(events);
  });

  it('ends with a failed task when its handler breaks the rules', async () => {
    await open(async function* () {
      yield { kind: 'completed' };
      yield { kind: 'completed' };
    });
    expect(kindsOf(await eventsOf(saying('hello')))).toEqual(['task', 'TASK_STATE_FAILED']);
  });

  it('is the task as it stands for a message that was here before', async () => {
    await open();
    const params = saying('hello');
    await messaging.taskOf(params);
    const events = await eventsOf(params);
    expect(kindsOf(events)).toEqual(['task']);
    expect(events[0]?.response).toMatchObject({
      task: { status: { state: 'TASK_STATE_COMPLETED' } },
    });
  });

  it('may be left, and the handler goes on', async () => {
    await open(async function* () {
      yield { kind: 'working' };
      await delay(100);
      yield { kind: 'completed' };
    });
    const gone = new AbortController();
    const params = saying('hello');
    const events = eventsOf(params, gone.signal);
    await eventually(() => messaging.calls.length === 1);
    gone.abort();
    await events;
    expect((await messaging.taskOf(params)).status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('respects the history length that was asked for', async () => {
    await open();
    const params = { ...saying('hello'), configuration: { historyLength: 0 } };
    const [first] = await eventsOf(params);
    expect(first?.response).not.toHaveProperty('task.history');
  });
});
