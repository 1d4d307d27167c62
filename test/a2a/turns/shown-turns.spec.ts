import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { TaskEvent } from '../../../src/a2a/tasks/port.js';
import type { SendMessageRequest, SendMessageResponse } from '../../../src/a2a/wire/types.js';
import { capability, FINANCE, partner } from '../../capabilities/support/capabilities.js';
import { eventually } from '../../support/eventually.js';
import { Messaging, saying } from '../support/messaging.js';

const { tenant, principal, agent } = partner();
const OWNER = { kind: 'principal', tenant, principal, agent } as const;

let messaging: Messaging;
let release: () => void;
let held: Promise<void>;

beforeEach(async () => {
  held = new Promise((resolve) => (release = resolve));
  messaging = await Messaging.open({
    capabilities: [capability('echo')],
    handlers: {
      'handler.echo': async function* ({ message: { parts } }) {
        if (parts[0]?.text === 'ask') {
          yield { kind: 'input-required' };
          return;
        }
        await held;
        yield { kind: 'message', parts: [{ text: 'late' }] };
      },
    },
  });
});

afterEach(async () => {
  release();
  await messaging.close();
});

async function send(params: SendMessageRequest): Promise<SendMessageResponse> {
  const sent = await messaging.messages.send(messaging.request(partner()), params);
  if (!sent.ok) throw new Error(JSON.stringify(sent.error));
  return sent.value;
}

async function stream(params: SendMessageRequest, signal?: AbortSignal): Promise<TaskEvent[]> {
  const request = messaging.request(partner(), signal);
  const streamed = await messaging.messages.stream(request, params);
  if (!streamed.ok) throw new Error(JSON.stringify(streamed.error));
  const events: TaskEvent[] = [];
  for await (const event of streamed.value) events.push(event);
  return events;
}

const idFor = ({ message }: SendMessageRequest) =>
  messaging.tasks.idFor(OWNER, FINANCE, message.messageId);

const isFound = async (params: SendMessageRequest): Promise<boolean> =>
  (await messaging.tasks.find(OWNER, FINANCE, idFor(params))).ok;

/** Sent, and its handler runs. */
async function begun(params: SendMessageRequest): Promise<{ end(): Promise<object> }> {
  const sent = send(params);
  await eventually(() => messaging.calls.length === 1);
  return {
    end: async () => {
      release();
      return sent;
    },
  };
}

const LAST_WORDS = {
  task: { status: { state: 'TASK_STATE_COMPLETED', message: { parts: [{ text: 'late' }] } } },
};

describe('a turn that answers with a message', () => {
  it.each<readonly [string, (params: SendMessageRequest) => Promise<unknown>]>([
    [
      'its message was sent again and answered at once',
      async (params) => send({ ...params, configuration: { returnImmediately: true } }),
    ],
    ['somebody looked at it', async (params) => isFound(params)],
    [
      'it was listed',
      async () => {
        const listed = await messaging.tasks.list(OWNER, FINANCE, {});
        return listed.ok && listed.value.totalSize === 1;
      },
    ],
  ])('gives a task when %s, and nothing that was shown vanishes', async (_, show) => {
    const params = saying('hello');
    const { end } = await begun(params);
    expect(await show(params)).toBeTruthy();
    expect(await end()).toMatchObject(LAST_WORDS);
    expect(await isFound(params)).toBe(true);
    expect(await send(params)).toMatchObject(LAST_WORDS);
    expect((await messaging.tasks.load(idFor(params)))?.isShown).toBe(false);
  });

  it('gives the message to all who wait for it, and to nobody the task', async () => {
    const params = saying('hello');
    const { end } = await begun(params);
    const again = send(params);
    await delay(20);
    const first = await end();
    expect(first).toMatchObject({ message: { parts: [{ text: 'late' }] } });
    expect(await again).toEqual(first);
    expect(await isFound(params)).toBe(false);
    expect(await send({ ...params, configuration: { returnImmediately: true } })).toEqual(first);
  });

  it('gives streams of the same message the same, if one was cut and sent again', async () => {
    const params = saying('hello');
    const gone = new AbortController();
    void stream(params, gone.signal);
    await eventually(() => messaging.calls.length === 1);
    gone.abort();
    const again = stream(params);
    await delay(20);
    release();
    expect((await again).map(({ response }) => Object.keys(response))).toEqual([['message']]);
  });

  it('ends a task that its caller knows already as a task', async () => {
    const asked = await messaging.taskOf(saying('ask'));
    expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    release();
    const further = saying('go on', { taskId: asked.id });
    expect(await send(further)).toMatchObject(LAST_WORDS);
    expect((await messaging.tasks.find(OWNER, FINANCE, asked.id)).ok).toBe(true);
  });
});
