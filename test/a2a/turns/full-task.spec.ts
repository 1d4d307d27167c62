import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { HandlerEvent } from '../../../src/a2a/handlers/capability-call.js';
import type { Task } from '../../../src/a2a/wire/types.js';
import { capability } from '../../capabilities/support/capabilities.js';
import { Messaging, saying } from '../support/messaging.js';

const MEBI = 1024 * 1024;

/** As much as one turn may say, all but a little; then it asks for more. */
async function* muchThenAsk(): AsyncGenerator<HandlerEvent, undefined> {
  yield {
    kind: 'artifact',
    artifact: { artifactId: 'all', parts: [{ text: 'x'.repeat(7.75 * MEBI) }] },
  };
  yield { kind: 'input-required', parts: [{ text: 'more?' }] };
}

let messaging: Messaging;

beforeEach(async () => {
  const much = capability('lookup-invoice', { handler: 'much' });
  messaging = await Messaging.open({ capabilities: [much], handlers: { much: muchThenAsk } });
});

afterEach(async () => {
  await messaging.close();
});

/** A task of two turns, with 15.5 MiB. */
async function large(): Promise<Task> {
  const { id } = await messaging.taskOf(saying('begin'));
  return messaging.taskOf(saying('go on', { taskId: id }));
}

it('a turn that says more than its task may hold ends it as failed, and says why', async () => {
  const { id } = await large();
  const task = await messaging.taskOf(saying('go on', { taskId: id }));
  expect(task.status).toMatchObject({
    state: 'TASK_STATE_FAILED',
    message: { parts: [{ text: 'The task has grown too large to go on, so that it failed.' }] },
  });
  expect(messaging.ledger.ends).toEqual(['succeeded', 'succeeded', 'interrupted']);
  expect(messaging.faults).toEqual([]);
});

it('a message that would make its task larger than it may be is refused as task-full', async () => {
  const { id } = await large();
  const tooMuch = saying('x'.repeat(0.75 * MEBI), { taskId: id });
  expect(await messaging.refusalOf(tooMuch)).toMatchObject({
    error: 'UnsupportedOperation',
    code: 'task-full',
  });
  expect(messaging.calls).toHaveLength(2);
  expect(await messaging.cancel(id)).toBe(true);
});
