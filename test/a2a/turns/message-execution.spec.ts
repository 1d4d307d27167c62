import { afterEach, describe, expect, it } from '@jest/globals';
import type { HandlerEvent } from '../../../src/a2a/handlers/capability-call.js';
import type { Capability } from '../../../src/capabilities/domain/capability.js';
import { deriveUuid } from '../../../src/kernel/ids.js';
import { capability, partner } from '../../capabilities/support/capabilities.js';
import { eventually } from '../../support/eventually.js';
import {
  message,
  Messaging,
  saying,
  type Handle,
  type MessagingOptions,
} from '../support/messaging.js';

const ECHO = capability('echo');
let messaging: Messaging;

async function open(
  capabilities: readonly Capability[] = [ECHO],
  more: Partial<MessagingOptions> = {},
): Promise<Messaging> {
  messaging = await Messaging.open({ capabilities, ...more });
  return messaging;
}

/** A handler of `echo` that yields these. */
function says(...events: readonly HandlerEvent[]): Readonly<Record<string, Handle>> {
  return {
    'handler.echo': async function* () {
      yield* events;
    },
  };
}

afterEach(async () => {
  await messaging.close();
});

describe('a message', () => {
  it('runs the handler, and its task says what came of it', async () => {
    await open();
    const task = await messaging.taskOf(saying('hello'));
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(task.artifacts).toMatchObject([{ artifactId: 'echo', parts: [{ text: 'hello' }] }]);
    expect(task.history).toMatchObject([{ role: 'ROLE_USER', parts: [{ text: 'hello' }] }]);
  });

  it('is admitted before the handler runs, under an id that follows from task and message', async () => {
    await open();
    const params = saying('hello');
    const task = await messaging.taskOf(params);
    const [admission] = messaging.ledger.admissions;
    expect(admission).toMatchObject({
      invocationId: deriveUuid(['turn', task.id, params.message.messageId]),
      agentId: 'finance-agent',
      skillId: 'echo',
      handler: 'handler.echo',
      taskId: task.id,
      routing: { layer: 'only-capability', confidence: 1 },
      basedOn: { 'capability-finance-agent/echo': 0 },
    });
    expect(JSON.stringify(admission)).not.toContain('hello');
    await eventually(() => messaging.ledger.ends[0] === 'succeeded');
  });

  it('hands the handler who asked, the grant and the whole task', async () => {
    await open();
    const caller = partner({ scopes: ['recon.run'] });
    await messaging.taskOf(
      { ...saying('hello'), configuration: { acceptedOutputModes: ['application/*'] } },
      caller,
    );
    const [call] = messaging.calls;
    expect(call?.caller).toEqual(caller);
    expect(call?.grant.outputModes).toEqual(['application/json']);
    expect(call?.grant.manifest.id).toBe('echo');
    expect(call?.task.history).toHaveLength(1);
    expect(call?.message.taskId).toBe(call?.task.id);
  });

  it('may be answered with a message and no task', async () => {
    await open([ECHO], { handlers: says({ kind: 'message', parts: [{ text: 'pong' }] }) });
    const params = saying('ping');
    const request = messaging.request(partner());
    const sent = await messaging.messages.send(request, params);
    expect(sent).toMatchObject({ ok: true, value: { message: { parts: [{ text: 'pong' }] } } });
    expect(await messaging.messages.send(request, params)).toEqual(sent);
    expect(messaging.calls).toHaveLength(1);
  });

  it('answers at once with returnImmediately, and the handler goes on', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await open([ECHO], {
      handlers: {
        'handler.echo': async function* () {
          await held;
          yield { kind: 'message', parts: [{ text: 'late' }] };
        },
      },
    });
    const params = { ...saying('hello'), configuration: { returnImmediately: true } };
    const task = await messaging.taskOf(params);
    expect(task.status.state).toBe('TASK_STATE_SUBMITTED');
    release();
    // The task has been shown: what would have been an answer becomes its last word.
    const end = await messaging.taskOf(saying('hello', params.message));
    expect(end.id).toBe(task.id);
    expect(end.status).toMatchObject({
      state: 'TASK_STATE_COMPLETED',
      message: { parts: [{ text: 'late' }] },
    });
  });

  it('answered at once is the same, whether its sender waits or not', async () => {
    await open([ECHO], { handlers: says({ kind: 'message', parts: [{ text: 'pong' }] }) });
    const params = saying('ping');
    const request = messaging.request(partner());
    const hasty = { ...params, configuration: { returnImmediately: true } };
    const sent = await messaging.messages.send(request, hasty);
    const end = await messaging.messages.send(request, params);
    if (!sent.ok || !end.ok) throw new Error('refused');
    // Whoever was shown a task keeps it; whoever got a message gets the same again.
    expect(Object.keys(end.value)).toEqual(Object.keys(sent.value));
  });

  it.each([
    [undefined, 1],
    [0, 0],
    [1, 1],
  ])('is answered with a history of %s messages as asked', async (historyLength, length) => {
    await open();
    const configuration = historyLength === undefined ? {} : { historyLength };
    const task = await messaging.taskOf({ ...saying('hello'), configuration });
    expect(task.history ?? []).toHaveLength(length);
  });
});

describe('a message that was here before', () => {
  it('gives the first task, and nothing runs again', async () => {
    await open();
    const params = saying('hello');
    const first = await messaging.taskOf(params);
    expect(await messaging.taskOf(params)).toEqual(first);
    expect(messaging.calls).toHaveLength(1);
  });

  it('runs once when it is sent ten times at once', async () => {
    await open();
    const params = saying('hello');
    const tasks = await Promise.all(Array.from({ length: 10 }, () => messaging.taskOf(params)));
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(1);
    expect(new Set(tasks.map(({ status }) => status.state))).toEqual(
      new Set(['TASK_STATE_COMPLETED']),
    );
    expect(messaging.calls).toHaveLength(1);
    expect(messaging.ledger.admissions).toHaveLength(1);
  });

  it('is refused with other content', async () => {
    await open();
    const params = saying('hello');
    await messaging.taskOf(params);
    const other = saying('something else', { messageId: params.message.messageId });
    expect(await messaging.refusalOf(other)).toMatchObject({
      error: 'InvalidParams',
      code: 'message-id-reused',
    });
  });

  it('is somebody else’s own when somebody else sends it', async () => {
    await open();
    const params = saying('hello');
    const mine = await messaging.taskOf(params);
    const theirs = await messaging.taskOf(params, partner({ agent: 'rival-agent' }));
    expect(theirs.id).not.toBe(mine.id);
  });

  it('is a new one every time without a token', async () => {
    await open();
    const params = saying('hello');
    const first = await messaging.taskOf(params, null);
    expect((await messaging.taskOf(params, null)).id).not.toBe(first.id);
  });

  it('is checked for permission again', async () => {
    const restricted = capability('echo', {
      visibility: 'extended',
      requiresScopes: ['recon.run'],
    });
    await open([restricted]);
    const params = saying('hello');
    await messaging.taskOf(params, partner({ scopes: ['recon.run'] }));
    expect(await messaging.refusalOf(params, partner())).toMatchObject({
      error: 'UnsupportedOperation',
      code: 'capability-unavailable',
    });
  });

  it('still gives its task after the capability was removed', async () => {
    await open();
    const params = saying('hello');
    const first = await messaging.taskOf(params);
    messaging.registry.put(capability('echo', { state: 'removed' }));
    expect(await messaging.taskOf(params)).toEqual(first);
  });
});

describe('a message to a task', () => {
  const asks: Readonly<Record<string, Handle>> = {
    'handler.echo': async function* ({ message: { parts } }) {
      yield parts[0]?.text === 'done'
        ? { kind: 'completed', parts: [{ text: 'bye' }] }
        : { kind: 'input-required', parts: [{ text: 'and?' }] };
    },
  };

  it('goes on with its handler, in a turn of its own', async () => {
    await open([ECHO, capability('other')], { handlers: asks });
    const first = await messaging.taskOf({
      message: { ...message({ text: 'start' }), metadata: { skillId: 'echo' } },
    });
    expect(first.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const second = await messaging.taskOf(saying('done', { taskId: first.id }));
    expect(second).toMatchObject({ id: first.id, status: { state: 'TASK_STATE_COMPLETED' } });
    expect(messaging.ledger.admissions.map(({ routing }) => routing.layer)).toEqual([
      'preferred-skill',
      'continuing-task',
    ]);
    expect(messaging.calls[1]?.task.history).toHaveLength(3);
  });

  it('must name the context of the task, or none', async () => {
    await open([ECHO], { handlers: asks });
    const { id, contextId } = await messaging.taskOf(saying('start'));
    const wrong = saying('go on', { taskId: id, contextId: 'another' });
    expect(await messaging.refusalOf(wrong)).toMatchObject({
      error: 'InvalidParams',
      code: 'context-mismatch',
    });
    const right = await messaging.taskOf(saying('done', { taskId: id, contextId }));
    expect(right.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it.each(['completed', 'failed', 'rejected', 'canceled'] as const)(
    'is refused once the task is %s',
    async (kind) => {
      const asking: HandlerEvent = { kind: kind === 'canceled' ? 'input-required' : kind };
      await open([ECHO], { handlers: says(asking) });
      const { id } = await messaging.taskOf(saying('hello'));
      if (kind === 'canceled') await messaging.cancel(id);
      expect(await messaging.refusalOf(saying('more', { taskId: id }))).toMatchObject({
        error: 'UnsupportedOperation',
        code: 'task-ended',
      });
      expect(messaging.calls).toHaveLength(1);
    },
  );

  it('is refused while a turn is under way', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await open([ECHO], {
      handlers: {
        'handler.echo': async function* () {
          await held;
          yield { kind: 'completed' };
        },
      },
    });
    const params = { ...saying('hello'), configuration: { returnImmediately: true } };
    const { id } = await messaging.taskOf(params);
    expect(await messaging.refusalOf(saying('more', { taskId: id }))).toMatchObject({
      error: 'UnsupportedOperation',
      code: 'turn-under-way',
    });
    release();
  });

  it('finds nothing that is somebody else’s', async () => {
    await open([ECHO], { handlers: asks });
    const { id } = await messaging.taskOf(saying('start'));
    const foreign = await messaging.refusalOf(
      saying('more', { taskId: id }),
      partner({ agent: 'x' }),
    );
    expect(foreign.error).toBe('TaskNotFound');
  });

  it('is sent once, however often it arrives', async () => {
    await open([ECHO], { handlers: asks });
    const { id } = await messaging.taskOf(saying('start'));
    const params = saying('done', { taskId: id });
    const ends = await Promise.all([1, 2, 3].map(() => messaging.taskOf(params)));
    expect(new Set(ends.map(({ status }) => status.state))).toEqual(
      new Set(['TASK_STATE_COMPLETED']),
    );
    expect(messaging.calls).toHaveLength(2);
  });

  it('is refused under the id of a message that began a task, this one or another', async () => {
    await open([ECHO], { handlers: asks });
    const other = saying('hello');
    await messaging.taskOf(other);
    const first = saying('start');
    const { id } = await messaging.taskOf(first);
    for (const { message: used } of [other, first]) {
      const again = { message: { ...used, taskId: id } };
      expect(await messaging.refusalOf(again)).toMatchObject({
        error: 'InvalidParams',
        code: 'message-id-reused',
      });
    }
    expect(messaging.calls).toHaveLength(2);
    // Ids are their senders' own.
    const theirs = saying('start');
    await messaging.taskOf(theirs, partner({ agent: 'rival-agent' }));
    const mine = saying('done', { taskId: id, messageId: theirs.message.messageId });
    expect((await messaging.taskOf(mine)).status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('is refused, and changes nothing, when its caller is not entitled any more', async () => {
    const restricted = capability('echo', {
      visibility: 'extended',
      requiresScopes: ['recon.run'],
    });
    await open([restricted], { handlers: asks });
    const { id } = await messaging.taskOf(saying('start'), partner({ scopes: ['recon.run'] }));
    const without = partner();
    expect(await messaging.refusalOf(saying('done', { taskId: id }), without)).toMatchObject({
      code: 'capability-unavailable',
    });
    const allowed = partner({ scopes: ['recon.run'] });
    const { status } = await messaging.taskOf(saying('done', { taskId: id }), allowed);
    expect(status.state).toBe('TASK_STATE_COMPLETED');
  });
});
