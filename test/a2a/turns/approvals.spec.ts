import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CapabilityCall, HandlerEvent } from '../../../src/a2a/handlers/capability-call.js';
import { HeldSubjects } from '../../../src/a2a/turns/held-subjects.js';
import type { TaskEvent } from '../../../src/a2a/tasks/port.js';
import type { SendMessageRequest, Task } from '../../../src/a2a/wire/types.js';
import type { JsonObject } from '../../../src/kernel/json.js';
import type { Uuid } from '../../../src/kernel/ids.js';
import { ok } from '../../../src/kernel/result.js';
import { millisecondsOf, timestampOf } from '../../../src/kernel/timestamp.js';
import {
  capability,
  partner,
  type CapabilityChanges,
} from '../../capabilities/support/capabilities.js';
import type { Agreement } from '../../invocations/support/agreements.js';
import { aMoment, eventually } from '../../support/eventually.js';
import { DIRECT, Messaging, saying, TRUST, type Handle } from '../support/messaging.js';

const CHANGES: CapabilityChanges = {
  requiresContract: true,
  action: 'reconcile',
  visibility: 'extended',
  requiresScopes: ['recon.run'],
  handler: 'handler.reconcile',
  skill: { outputModes: ['text/plain', 'application/json'] },
};
const RECONCILE = capability('reconcile', CHANGES);
const TERMS = { allowedActions: ['reconcile'], humanApprovalRequirements: ['reconcile'] };
const caller = partner({ scopes: ['recon.run', 'other.scope'] });

let messaging: Messaging;
let handle: Handle;

beforeEach(async () => {
  handle = async function* ({ message }) {
    yield { kind: 'artifact', artifact: { artifactId: 'a', parts: message.parts } };
  };
  messaging = await Messaging.open({
    capabilities: [RECONCILE],
    handlers: { 'handler.reconcile': (call) => handle(call) },
    backends: {
      'handler.reconcile': {
        summary: {},
        invoke: async ({ arguments: given }) => ok({ given }),
      },
    },
  });
  messaging.authorizer.agree({ name: 'a', terms: TERMS });
});

afterEach(async () => {
  await messaging.close();
});

async function held(params: SendMessageRequest = saying('reconcile it')): Promise<Task> {
  const task = await messaging.taskOf(params, caller);
  expect(task.status.state).toBe('TASK_STATE_AUTH_REQUIRED');
  return task;
}

/** One look at what came out. */
async function look(): Promise<void> {
  await messaging.approvedTurns.look(new AbortController().signal);
}

async function taskAt(id: string): Promise<Task> {
  return (await messaging.tasks.load(id as Uuid))!.task;
}

async function becomes(id: string, state: Task['status']['state']): Promise<void> {
  await eventually(async () => (await taskAt(id)).status.state === state);
}

const invocation = (): Uuid => messaging.ledger.requests.at(-1)!.invocationId;
const outcome = (): string | undefined => messaging.ledger.outcomes.get(invocation());

describe('a call that a contract wants approved', () => {
  it('waits, and says for what and until when; nothing runs, and no place is taken', async () => {
    const task = await held();
    const { approval } = task.metadata![TRUST] as { approval: JsonObject };
    const [request] = messaging.ledger.requests;
    expect(approval).toEqual({
      invocationId: request!.invocationId,
      expiresAt: timestampOf(request!.expiresAt),
    });
    expect(request).toMatchObject({
      taskId: task.id,
      action: 'reconcile',
      entries: ['reconcile'],
      scopes: ['recon.run'],
      caller: { principal: 'client|partner' },
    });
    expect(messaging.calls).toHaveLength(0);
    expect(messaging.ledger.admissions).toHaveLength(0);
    await look();
    expect((await taskAt(task.id)).status.state).toBe('TASK_STATE_AUTH_REQUIRED');
  });

  it('can be approved no longer than the contract lasts, whose deadline it does not tell', async () => {
    const end = timestampOf(Date.now() + 60_000);
    const deadline = timestampOf(Date.now() + 30_000);
    messaging.authorizer.agree({ name: 'b', terms: { ...TERMS, deadline }, expiresAt: end });
    await held();
    expect(messaging.ledger.requests[0]!.expiresAt).toBe(millisecondsOf(end));
  });

  it('is made once contracts can be read again, where they could not be at the first look', async () => {
    const { id } = await held();
    messaging.ledger.decide(invocation(), 'approve');
    const { authorizer } = messaging;
    const genuine = authorizer.authorize.bind(authorizer);
    authorizer.authorize = async (question) => {
      const { decision: _, ...answer } = await genuine(question);
      const code = 'contract-unreadable' as const;
      const decision = { kind: 'refusal', code, terms: null, entry: null, isParty: true } as const;
      return { ...answer, decision };
    };
    await look();
    expect((await taskAt(id)).status.state).toBe('TASK_STATE_AUTH_REQUIRED');
    authorizer.authorize = genuine;
    await look();
    await becomes(id, 'TASK_STATE_COMPLETED');
    expect(messaging.calls).toHaveLength(1);
  });

  it('takes no other message while it waits, and knows its own', async () => {
    const params = saying('reconcile it');
    const { id } = await held(params);
    expect(await messaging.refusalOf(saying('well?', { taskId: id }), caller)).toMatchObject({
      error: 'UnsupportedOperation',
      code: 'approval-pending',
    });
    expect((await messaging.taskOf(params, caller)).id).toBe(id);
    expect(messaging.ledger.requests).toHaveLength(1);
  });

  it('runs once it is approved, as its caller of then', async () => {
    const { id } = await held();
    messaging.ledger.decide(invocation(), 'approve');
    await look();
    await becomes(id, 'TASK_STATE_COMPLETED');
    // The approval waits no more.
    expect((await taskAt(id)).metadata![TRUST]).toEqual({});
    const [call] = messaging.calls;
    expect(call!.message.parts).toEqual([{ text: 'reconcile it' }]);
    expect(call!.caller).toMatchObject({ principal: 'client|partner', agent: 'partner-agent' });
    expect([...call!.caller!.allScopes]).toEqual(['recon.run']);
    expect(call!.grant).toMatchObject({
      invocationId: invocation(),
      rule: 'allowed-action',
      outputModes: ['text/plain', 'application/json'],
    });
    await eventually(() => outcome() === 'succeeded');
    await look();
    expect(messaging.calls).toHaveLength(1);
    expect(messaging.faults).toEqual([]);
  });

  it('goes on at once when this process hears of the decision', async () => {
    messaging.approvedTurns.start();
    const { id } = await held();
    messaging.ledger.decide(invocation(), 'approve', true);
    await becomes(id, 'TASK_STATE_COMPLETED');
    await messaging.approvedTurns.onModuleDestroy();
  });

  it('keeps the output modes that its client accepts', async () => {
    const configuration = { acceptedOutputModes: ['application/*'] };
    const { id } = await held({ ...saying('reconcile it'), configuration });
    messaging.ledger.decide(invocation(), 'approve');
    await look();
    await becomes(id, 'TASK_STATE_COMPLETED');
    expect(messaging.calls[0]!.grant.outputModes).toEqual(['application/json']);
  });

  it('never answers with a message, since its task has been shown', async () => {
    handle = async function* (): AsyncGenerator<HandlerEvent> {
      yield { kind: 'message', parts: [{ text: 'done' }] };
    };
    const { id } = await held();
    messaging.ledger.decide(invocation(), 'approve');
    await look();
    await becomes(id, 'TASK_STATE_COMPLETED');
    expect((await messaging.tasks.load(id as Uuid))!.answer).toBeNull();
  });

  it('of a further message is of that message alone', async () => {
    handle = async function* () {
      yield { kind: 'input-required' };
    };
    const { id } = await held();
    messaging.ledger.decide(invocation(), 'approve');
    await look();
    await becomes(id, 'TASK_STATE_INPUT_REQUIRED');
    await held(saying('the other one', { taskId: id }));
    expect(messaging.ledger.requests).toHaveLength(2);
    messaging.ledger.decide(invocation(), 'approve');
    await look();
    await becomes(id, 'TASK_STATE_INPUT_REQUIRED');
    const texts = messaging.calls.map(({ message }: CapabilityCall) => message.parts[0]!.text);
    expect(texts).toEqual(['reconcile it', 'the other one']);
  });
});

describe('a stream of a call that waits', () => {
  it('ends when it begins to wait; a subscription goes on over the approval', async () => {
    const request = messaging.request(caller);
    const first = await messaging.messages.stream(request, saying('reconcile it'));
    if (!first.ok) throw new Error(first.error.detail);
    const states = statesOf(await all(first.value));
    expect(states.at(-1)).toBe('TASK_STATE_AUTH_REQUIRED');
    const { taskId } = messaging.ledger.requests[0]!;
    const { revision } = (await messaging.tasks.load(taskId))!;
    const { signal } = new AbortController();
    const subscription = all(messaging.tasks.watch(taskId, revision, signal, 'task'));
    messaging.ledger.decide(invocation(), 'approve');
    await look();
    expect(statesOf(await subscription)).toEqual(['TASK_STATE_WORKING', 'TASK_STATE_COMPLETED']);
  });
});

async function all(events: AsyncIterable<TaskEvent>): Promise<TaskEvent[]> {
  const found: TaskEvent[] = [];
  for await (const event of events) found.push(event);
  return found;
}

function statesOf(events: readonly TaskEvent[]): readonly string[] {
  return events.flatMap(({ response }) => {
    if ('task' in response) return [response.task.status.state];
    return 'statusUpdate' in response ? [response.statusUpdate.status.state] : [];
  });
}

describe('a call that does not get its approval', () => {
  const codeOf = ({ metadata }: Task): unknown => (metadata![TRUST] as JsonObject)['code'];

  it('is rejected without a decision when its terms are superseded, or its contract ends', async () => {
    const agreement = { name: 'a', terms: TERMS };
    for (const over of [{ became: 'cancelled' }, { amended: { ...TERMS, purpose: 'other' } }]) {
      messaging.authorizer.agree(agreement);
      const { id } = await held(saying('reconcile it'));
      await look();
      expect((await taskAt(id)).status.state).toBe('TASK_STATE_AUTH_REQUIRED');
      messaging.authorizer.agree({ ...agreement, ...(over as Partial<Agreement>) });
      await look();
      const task = await taskAt(id);
      expect([task.status.state, codeOf(task)]).toEqual(['TASK_STATE_REJECTED', 'approval-void']);
      expect(outcome()).toBe('voided');
    }
    expect(messaging.calls).toHaveLength(0);
  });

  it('is one of at most a hundred; one that came out makes room, and a known message is known', async () => {
    const first = saying('reconcile it');
    const { id } = await held(first);
    for (let n = 1; n < 100; n++) await held();
    const more = saying('reconcile it');
    expect(await messaging.refusalOf(more, caller)).toMatchObject({
      error: 'RateLimited',
      code: 'too-many-approvals',
    });
    expect(messaging.ledger.requests).toHaveLength(100);
    expect((await messaging.taskOf(first, caller)).id).toBe(id);
    messaging.ledger.decide(invocation(), 'deny');
    await held(more);
  });

  it('is one of a hundred also of those that come at once, each of them twice', async () => {
    const messages = Array.from({ length: 130 }, () => saying('reconcile it'));
    const answers = await Promise.all(
      [...messages, ...messages].map((each) =>
        messaging.messages.send(messaging.request(caller), each),
      ),
    );
    const ids = answers.flatMap((answer) =>
      answer.ok && 'task' in answer.value ? [answer.value.task.id] : [],
    );
    expect(messaging.ledger.requests).toHaveLength(100);
    expect([ids.length, new Set(ids).size]).toEqual([200, 100]);
  });

  it('is rejected when it is denied', async () => {
    const { id } = await held();
    messaging.ledger.decide(invocation(), 'deny');
    await look();
    const task = await taskAt(id);
    expect([task.status.state, codeOf(task)]).toEqual(['TASK_STATE_REJECTED', 'approval-denied']);
    expect(outcome()).toBe('rejected');
    expect(messaging.calls).toHaveLength(0);
  });

  it.each(['before', 'after'])('is rejected when it expires %s it is given', async (when) => {
    await messaging.close();
    messaging = await Messaging.open({ capabilities: [RECONCILE], approvalTimeoutMs: 30 });
    messaging.authorizer.agree({ name: 'a', terms: TERMS });
    const { id } = await held();
    if (when === 'after') {
      messaging.ledger.clock = () => Date.now() - 10_000;
      messaging.ledger.decide(invocation(), 'approve');
      messaging.ledger.clock = Date.now;
      await aMoment(40);
    }
    await eventually(async () => {
      await look();
      return outcome() === 'rejected';
    });
    const task = await taskAt(id);
    expect([task.status.state, codeOf(task)]).toEqual(['TASK_STATE_REJECTED', 'approval-expired']);
    expect(messaging.calls).toHaveLength(0);
  });

  it.each<[string, () => void]>([
    ['the terms are others', () => agree({ amended: { ...TERMS, purpose: 'Something else' } })],
    ['the contract was cancelled', () => agree({ became: 'cancelled' })],
    ['the action is prohibited', () => agree({ terms: { ...TERMS, prohibitedData: ['None!'] } })],
    [
      'the scopes do not suffice',
      () => put({ ...CHANGES, requiresScopes: ['recon.run', 'other.scope'] }),
    ],
    ['the capability does something else', () => put({ ...CHANGES, action: 'pay' })],
    ['it needs other data', () => put({ ...CHANGES, data: ['invoices'] })],
    ['the capability is removed', () => put({ ...CHANGES, state: 'removed' })],
  ])('is rejected when %s by then', async (_, change) => {
    const { id } = await held();
    messaging.ledger.decide(invocation(), 'approve');
    change();
    await look();
    const task = await taskAt(id);
    expect([task.status.state, codeOf(task)]).toEqual(['TASK_STATE_REJECTED', 'approval-void']);
    expect(outcome()).toBe('voided');
    expect(messaging.calls).toHaveLength(0);
  });

  it('is ended with its task when that is canceled, whatever is decided', async () => {
    const { id } = await held();
    expect(await messaging.cancel(id, caller)).toBe(true);
    messaging.ledger.decide(invocation(), 'approve');
    await look();
    expect(outcome()).toBe('canceled');
    expect(messaging.calls).toHaveLength(0);
  });

  it('does not run when its task is canceled after it went on, and before its admission', async () => {
    const { id } = await held();
    const { ledger } = messaging;
    ledger.decide(invocation(), 'approve');
    const admit = ledger.admit.bind(ledger);
    ledger.admit = async (admission) => {
      expect((await taskAt(id)).status.state).toBe('TASK_STATE_WORKING');
      expect(await messaging.cancel(id, caller)).toBe(true);
      return admit(admission);
    };
    await look();
    expect(ledger.admissions).toHaveLength(1);
    await look();
    expect((await taskAt(id)).status.state).toBe('TASK_STATE_CANCELED');
    expect(outcome()).toBe('canceled');
    expect(messaging.calls).toHaveLength(0);
    expect(messaging.faults).toEqual([]);
  });
});

function agree(change: Partial<Agreement>): void {
  messaging.authorizer.agree({ name: 'a', terms: TERMS, ...change });
}

function put(changes: CapabilityChanges): void {
  messaging.registry.put(capability('reconcile', changes));
}

describe('a call that is approved where it cannot run yet', () => {
  it('waits on for a place', async () => {
    let release: () => void = () => undefined;
    const going = new Promise<void>((resolve) => (release = resolve));
    handle = async function* () {
      await going;
      yield { kind: 'completed' };
    };
    put({ ...CHANGES, limits: { max_concurrent: 1 } });
    const tasks = [await held(), await held()];
    for (const { invocationId } of messaging.ledger.requests) {
      messaging.ledger.decide(invocationId, 'approve');
    }
    await look();
    await look();
    expect(messaging.calls).toHaveLength(1);
    release();
    await eventually(async () => {
      await look();
      const found = await Promise.all(tasks.map(({ id }) => taskAt(id)));
      return found.every(({ status }) => status.state === 'TASK_STATE_COMPLETED');
    });
  });
});

describe('two nodes that hear of one decision', () => {
  it('run the call once', async () => {
    const { id } = await held();
    messaging.ledger.decide(invocation(), 'approve');
    await Promise.all(Array.from({ length: 8 }, look));
    await becomes(id, 'TASK_STATE_COMPLETED');
    await look();
    expect(messaging.calls).toHaveLength(1);
    expect(messaging.ledger.admissions).toHaveLength(1);
  });
});

describe('a process that dies', () => {
  /** What the next one finds is what was durable when this one stopped. */
  function dying(): never {
    throw new Error('killed');
  }

  it('before the task says that it waits leaves a turn that never ends, which no approval runs', async () => {
    const { record } = messaging.tasks;
    messaging.tasks.record = dying;
    await expect(messaging.taskOf(saying('reconcile it'), caller)).rejects.toThrow('killed');
    messaging.tasks.record = record;
    const { taskId } = messaging.ledger.requests[0]!;
    const { task, deadline } = (await messaging.tasks.load(taskId))!;
    // It is given up when its deadline passes.
    expect([task.status.state, deadline]).toEqual(['TASK_STATE_SUBMITTED', expect.any(Number)]);
    messaging.ledger.decide(invocation(), 'approve');
    await look();
    expect(messaging.calls).toHaveLength(0);
    await messaging.cancel(taskId, caller);
    await look();
    expect(outcome()).toBe('canceled');
  });

  it('between the approval and the task that goes on leaves it to the next look', async () => {
    const { id } = await held();
    messaging.ledger.decide(invocation(), 'approve');
    const { release } = messaging.tasks;
    messaging.tasks.release = dying;
    await look();
    expect((await taskAt(id)).status.state).toBe('TASK_STATE_AUTH_REQUIRED');
    messaging.tasks.release = release;
    await look();
    await becomes(id, 'TASK_STATE_COMPLETED');
    expect(messaging.calls).toHaveLength(1);
  });

  it('between the task that goes on and the admission leaves it to the next look', async () => {
    const { id } = await held();
    messaging.ledger.decide(invocation(), 'approve');
    const { admit } = messaging.ledger;
    messaging.ledger.admit = dying;
    await look();
    expect((await taskAt(id)).status.state).toBe('TASK_STATE_WORKING');
    expect(messaging.calls).toHaveLength(0);
    messaging.ledger.admit = admit;
    await look();
    await becomes(id, 'TASK_STATE_COMPLETED');
    expect(messaging.calls).toHaveLength(1);
  });

  it('between the end of the task and that of the call leaves that to the next look', async () => {
    const { id } = await held();
    messaging.ledger.decide(invocation(), 'deny');
    const { end } = messaging.ledger;
    messaging.ledger.end = dying;
    await look();
    expect((await taskAt(id)).status.state).toBe('TASK_STATE_REJECTED');
    expect(outcome()).toBeUndefined();
    messaging.ledger.end = end;
    await look();
    expect(outcome()).toBe('rejected');
  });
});

describe('a direct invoke that a contract wants approved', () => {
  const OBJECT = { type: 'object' };
  const DIRECT_CHANGES: CapabilityChanges = {
    ...CHANGES,
    directInvoke: {
      inputSchema: OBJECT,
      outputSchema: OBJECT,
      backend: {},
      allowUnauthenticated: false,
    },
  };

  function invoking(more = {}): SendMessageRequest {
    const call = { callId: 'c', skillId: 'reconcile', arguments: { id: 7 }, bypassModel: true };
    return saying('', { extensions: [DIRECT], metadata: { [DIRECT]: { ...call, ...more } } });
  }

  async function sent(params: SendMessageRequest): Promise<Task> {
    const request = messaging.request(caller, undefined, [DIRECT]);
    const answer = await messaging.messages.send(request, params);
    if (!answer.ok) throw new Error(JSON.stringify(answer.error));
    if (!('task' in answer.value)) throw new Error('no task');
    return answer.value.task;
  }

  beforeEach(() => put(DIRECT_CHANGES));

  it('runs with its arguments once it is approved', async () => {
    const task = await sent(invoking());
    expect(task.status.state).toBe('TASK_STATE_AUTH_REQUIRED');
    const subjects = new HeldSubjects(messaging.tasks, DIRECT);
    expect(await subjects.of(task.id as Uuid, invocation())).toEqual({ id: 7 });
    messaging.ledger.decide(invocation(), 'approve');
    await look();
    await becomes(task.id, 'TASK_STATE_COMPLETED');
    const { artifacts } = await taskAt(task.id);
    expect(artifacts![0]!.parts[0]!.data).toEqual({ given: { id: 7 } });
    await eventually(() => outcome() === 'succeeded');
    expect(messaging.ledger.resultDigests.get(invocation())).toMatch(/^[\w-]{43}$/);
  });

  it('is answered with its code when it was denied, and so is its replay', async () => {
    const params = invoking({ idempotencyKey: 'k' });
    const { id } = await sent(params);
    messaging.ledger.decide(invocation(), 'deny');
    await look();
    expect((await taskAt(id)).metadata![DIRECT]).toMatchObject({
      code: 'SKILL_DIRECT_INVOKE_FORBIDDEN',
      refusal: 'approval-denied',
      callId: 'c',
    });
    const request = messaging.request(caller, undefined, [DIRECT]);
    const again = invoking({ idempotencyKey: 'k' });
    expect(await messaging.messages.send(request, again)).toMatchObject({
      ok: false,
      error: { metadata: { refusal: 'approval-denied', taskId: id } },
    });
  });
});

describe('what an approver is shown', () => {
  it('is all that the handler gets from the caller', async () => {
    const metadata = { 'https://example.com/amount': { eur: 900_000 } };
    const referenceTaskIds = ['another-task'];
    const { id } = await held(saying('reconcile it', { metadata, referenceTaskIds }));
    const subjects = new HeldSubjects(messaging.tasks, DIRECT);
    expect(await subjects.of(id as Uuid, invocation())).toEqual({
      parts: [{ text: 'reconcile it' }],
      metadata,
      referenceTaskIds,
    });
    messaging.ledger.decide(invocation(), 'approve');
    await look();
    await becomes(id, 'TASK_STATE_COMPLETED');
    expect(messaging.calls[0]!.message).toMatchObject({ metadata, referenceTaskIds });
  });

  it('is the message, as long as its call is the task’s', async () => {
    const { id } = await held();
    const subjects = new HeldSubjects(messaging.tasks, DIRECT);
    expect(await subjects.of(id as Uuid, invocation())).toEqual({
      parts: [{ text: 'reconcile it' }],
    });
    const other = '11111111-1111-4111-8111-111111111111' as Uuid;
    expect(await subjects.of(id as Uuid, other)).toBeUndefined();
    expect(await subjects.of(other, invocation())).toBeUndefined();
  });
});
