import { afterEach, describe, expect, it } from '@jest/globals';
import type { HandlerEvent } from '../../../src/a2a/handlers/capability-call.js';
import { ok } from '../../../src/kernel/result.js';
import { capability, partner } from '../../capabilities/support/capabilities.js';
import { eventually } from '../../support/eventually.js';
import { Messaging, saying, type Handle } from '../support/messaging.js';

let messaging: Messaging;
let handlers: Record<string, Handle>;
let ran: string[];

/** A handler of this name, which asks until it is told that it is done. */
function asking(name: string): Handle {
  return async function* ({ message: { parts } }): AsyncGenerator<HandlerEvent> {
    ran.push(name);
    yield { kind: parts[0]?.text === 'done' ? 'completed' : 'input-required' };
  };
}

async function open(): Promise<void> {
  ran = [];
  handlers = { 'handler.echo': asking('old'), 'handler.new': asking('new') };
  messaging = await Messaging.open({ capabilities: [capability('echo')], handlers });
}

const revise = (): void => {
  messaging.registry.put(capability('echo', { handler: 'handler.new' }));
};

afterEach(async () => {
  await messaging.close();
});

describe('a task that waits for its caller', () => {
  it('goes on with its handler whatever the manifest names by then, also in the record', async () => {
    await open();
    const { id } = await messaging.taskOf(saying('start'));
    revise();
    for (const text of ['more', 'done']) await messaging.taskOf(saying(text, { taskId: id }));
    expect(ran).toEqual(['old', 'old', 'old']);
    expect(messaging.ledger.admissions.map(({ handler }) => handler)).toEqual([
      'handler.echo',
      'handler.echo',
      'handler.echo',
    ]);
    const fresh = await messaging.taskOf(saying('done'));
    expect((await messaging.tasks.load(fresh.id as never))?.binding?.handler).toBe('handler.new');
    expect(ran.at(-1)).toBe('new');
  });

  it('is refused where that is no longer there, and waits on', async () => {
    await open();
    const { id } = await messaging.taskOf(saying('start'));
    revise();
    delete handlers['handler.echo'];
    expect(await messaging.refusalOf(saying('done', { taskId: id }))).toMatchObject({
      error: 'UnsupportedOperation',
      code: 'handler-absent',
    });
    expect(ran).toEqual(['old']);
    handlers['handler.echo'] = asking('back');
    const task = await messaging.taskOf(saying('done', { taskId: id }));
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(ran).toEqual(['old', 'back']);
  });

  it('goes on with it after an approval, too', async () => {
    ran = [];
    handlers = { 'handler.echo': asking('old'), 'handler.new': asking('new') };
    const paid = { requiresContract: true, action: 'pay' };
    messaging = await Messaging.open({
      capabilities: [capability('echo', paid)],
      handlers,
      backends: { 'handler.echo': { summary: {}, invoke: async () => ok({}) } },
    });
    const terms = { allowedActions: ['pay'], humanApprovalRequirements: ['pay'] };
    messaging.authorizer.agree({ name: 'a', terms });
    const approve = async (count: number): Promise<void> => {
      const request = messaging.ledger.requests[count - 1];
      messaging.ledger.decide(request!.invocationId, 'approve');
      await messaging.approvedTurns.look(new AbortController().signal);
      await eventually(() => ran.length === count);
    };
    const caller = partner();
    const { id } = await messaging.taskOf(saying('start'), caller);
    await approve(1);
    await eventually(
      async () =>
        (await messaging.taskOf(saying('done', { taskId: id })).catch(() => undefined)) !==
        undefined,
    );
    messaging.registry.put(capability('echo', { ...paid, handler: 'handler.new' }));
    await approve(2);
    expect(ran).toEqual(['old', 'old']);
  });
});
