import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HeldSubjects } from '../../../src/a2a/turns/held-subjects.js';
import type { Part, Task } from '../../../src/a2a/wire/types.js';
import { AttemptFault, backendFailureOf } from '../../../src/invocations/backends/attempt-fault.js';
import type { Backend, BackendCall } from '../../../src/invocations/commands/backends.js';
import { hashJson } from '../../../src/kernel/digest.js';
import type { Uuid } from '../../../src/kernel/ids.js';
import type { JsonObject } from '../../../src/kernel/json.js';
import { err, ok } from '../../../src/kernel/result.js';
import {
  capability,
  partner,
  type CapabilityChanges,
} from '../../capabilities/support/capabilities.js';
import { eventually } from '../../support/eventually.js';
import { echo, message, Messaging, type MessagingOptions } from '../support/messaging.js';

const ALICE = partner({ scopes: ['ledger.read', 'payments.approve'] });
const SUMMARY = { type: 'http', name: 'ledger' };

const taking = (member: string, more: Partial<NonNullable<CapabilityChanges['directInvoke']>>) => ({
  inputSchema: {
    type: 'object',
    required: [member],
    properties: { [member]: { type: 'integer' } },
    additionalProperties: false,
  },
  outputSchema: { type: 'object', required: ['sum'] },
  backend: SUMMARY,
  allowUnauthenticated: false,
  ...more,
});

const skill = { inputModes: ['application/json', 'text/plain'] };
const balance = (changes: CapabilityChanges = {}) =>
  capability('balance', { skill, directInvoke: taking('account', {}), ...changes });
const invoice = capability('invoice', { skill, directInvoke: taking('number', {}) });

/** Data parts that fit nothing. */
const noise = (count: number): readonly Part[] =>
  Array.from({ length: count }, (_, index) => ({ data: { note: index } }));

let messaging: Messaging;
let calls: BackendCall[];
let invoke: Backend['invoke'];

beforeEach(() => {
  calls = [];
  invoke = async () => ok({ sum: 12 });
});

afterEach(async () => {
  await messaging.close();
});

/** With no handlers but those that are given; every backend is there but that of `handler.absent`. */
async function open(options: MessagingOptions): Promise<void> {
  const backend: Backend = {
    summary: SUMMARY,
    invoke: async (call) => {
      calls.push(call);
      return invoke(call);
    },
  };
  const backends = { 'handler.balance': backend, 'handler.invoice': backend };
  messaging = await Messaging.open({ handlers: {}, backends, ...options });
}

const refused = async (...parts: readonly Part[]) =>
  JSON.parse((await messaging.refusalOf({ message: message(...parts) }, ALICE)).text) as JsonObject;

const sent = async (...parts: readonly Part[]): Promise<Task> =>
  messaging.taskOf({ message: message(...parts) }, ALICE);

describe('a message for a capability that has a backend and no handler', () => {
  it('brings the backend the data part that fits, and its output to the task', async () => {
    await open({ capabilities: [balance({ requiresScopes: ['ledger.read'] }), invoice] });
    const task = await sent({ text: 'what is it?' }, { data: { account: 7 } });
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(task.artifacts).toEqual([
      { artifactId: 'result', parts: [{ data: { sum: 12 }, mediaType: 'application/json' }] },
    ]);
    const [admission] = messaging.ledger.admissions;
    expect(admission?.routing).toEqual({ layer: 'input-schema', confidence: 1 });
    expect(calls).toMatchObject([
      {
        invocationId: admission?.invocationId,
        agentId: 'finance-agent',
        skillId: 'balance',
        arguments: { account: 7 },
        caller: ALICE,
        // What the skill requires, and nothing else that the caller has.
        scopes: ['ledger.read'],
        terms: null,
      },
    ]);
    expect(messaging.ledger.outcomes.get(admission!.invocationId)).toBe('succeeded');
  });

  it.each<readonly [string, readonly Part[], readonly string[]]>([
    ['no data', [{ text: 'please balance' }], ['/message/parts']],
    [
      'data that does not fit',
      [{ text: 'x' }, { data: { account: 'seven' } }],
      ['/message/parts', '/message/parts/1/data/account'],
    ],
    ['data that is no object', [{ data: 7 }], ['/message/parts', '/message/parts/0/data']],
    ['two that fit', [{ data: { account: 1 } }, { data: { account: 2 } }], ['/message/parts']],
    [
      'two that fit, far apart',
      [{ data: { account: 1 } }, ...noise(7), { data: { account: 2 } }],
      ['/message/parts'],
    ],
    ['more data than is looked at', [{ data: { account: 1 } }, ...noise(8)], ['/message/parts']],
  ])('is refused with %s, and runs nothing', async (_, parts, pointers) => {
    await open({ capabilities: [balance()] });
    const { error, code, faults } = await refused(...parts);
    expect([error, code]).toEqual(['InvalidParams', 'data-unfit']);
    expect((faults as { pointer: string }[]).map(({ pointer }) => pointer)).toEqual(pointers);
    expect(calls).toEqual([]);
  });

  it('may have as many data parts as are looked at, and no more; the refusal says so', async () => {
    await open({ capabilities: [balance()] });
    const task = await sent(...noise(7), { data: { account: 7 } });
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    const { faults } = await refused(...noise(8), { data: { account: 7 } });
    expect(JSON.stringify(faults)).toContain('at most 8 data parts');
    expect(calls).toHaveLength(1);
  });

  it('may answer the question which skill is meant; then it is the data of then', async () => {
    await open({ capabilities: [balance({ directInvoke: taking('number', {}) }), invoice] });
    const asked = await sent({ data: { number: 3 } });
    expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const answer = { ...message({ text: 'balance' }), taskId: asked.id };
    const task = await messaging.taskOf({ message: answer }, ALICE);
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(calls).toMatchObject([{ skillId: 'balance', arguments: { number: 3 } }]);
  });

  it('is on record by the digests of what its backend got and gave, also after a question', async () => {
    await open({ capabilities: [balance({ directInvoke: taking('number', {}) }), invoice] });
    const asked = await sent({ data: { number: 3 } });
    const answer = { ...message({ text: 'balance' }), taskId: asked.id };
    await messaging.taskOf({ message: answer }, ALICE);
    const [{ invocationId, argumentsDigest } = {}] = messaging.ledger.admissions;
    expect(argumentsDigest).toBe(hashJson({ number: 3 }));
    expect(argumentsDigest).toBe(hashJson(calls[0]!.arguments));
    await eventually(() => messaging.ledger.outcomes.has(invocationId!));
    expect(messaging.ledger.resultDigests.get(invocationId!)).toBe(hashJson({ sum: 12 }));
  });

  it('is approved by the digest of what its backend gets', async () => {
    const contract = { requiresContract: true, action: 'balance' };
    const directInvoke = taking('number', {});
    await open({ capabilities: [balance({ ...contract, directInvoke }), invoice] });
    const terms = { allowedActions: ['balance'], humanApprovalRequirements: ['balance'] };
    messaging.authorizer.agree({ name: 'a', terms });
    const asked = await sent({ data: { number: 3 } });
    const answer = { ...message({ text: 'balance' }), taskId: asked.id };
    const held = await messaging.taskOf({ message: answer }, ALICE);
    expect(held.status.state).toBe('TASK_STATE_AUTH_REQUIRED');
    const [{ invocationId, argumentsDigest } = {}] = messaging.ledger.requests;
    const subjects = new HeldSubjects(messaging.tasks, null);
    expect(await subjects.of(held.id as Uuid, invocationId!)).toEqual({ number: 3 });
    expect(argumentsDigest).toBe(hashJson({ number: 3 }));
    messaging.ledger.decide(invocationId!, 'approve');
    await messaging.approvedTurns.look(new AbortController().signal);
    await eventually(() => messaging.ledger.outcomes.get(invocationId!) === 'succeeded');
    expect(calls).toMatchObject([{ invocationId, arguments: { number: 3 } }]);
    expect(messaging.ledger.admissions).toMatchObject([{ invocationId, argumentsDigest }]);
  });

  it('needs a token, unless the manifest says else', async () => {
    await open({ capabilities: [balance()] });
    const params = { message: message({ data: { account: 7 } }) };
    expect(await messaging.refusalOf(params, null)).toMatchObject({ code: 'token-required' });
    expect(calls).toEqual([]);
    await messaging.close();
    await open({
      capabilities: [balance({ directInvoke: taking('account', { allowUnauthenticated: true }) })],
    });
    expect((await messaging.taskOf(params, null)).status.state).toBe('TASK_STATE_COMPLETED');
    expect(calls).toMatchObject([{ caller: null, scopes: [] }]);
  });

  it('is refused when its sender accepts no JSON', async () => {
    await open({
      capabilities: [
        balance({ skill: { inputModes: ['application/json'], outputModes: ['application/pdf'] } }),
      ],
    });
    const configuration = { acceptedOutputModes: ['text/plain'] };
    const params = { message: message({ data: { account: 7 } }), configuration };
    expect(await messaging.refusalOf(params, ALICE)).toMatchObject({
      code: 'output-modes-unmet',
      // What the backend gives, not what the card names.
      text: expect.stringContaining('"outputModes":"application/json"'),
    });
  });

  it('fails with its backend, of which the caller learns nothing else', async () => {
    await open({ capabilities: [balance()] });
    invoke = async () => err(backendFailureOf(new AttemptFault('answered', '500 from 10.1.2.3')));
    const task = await sent({ data: { account: 7 } });
    expect(task.status).toMatchObject({
      state: 'TASK_STATE_FAILED',
      message: { parts: [{ text: 'The backend of the skill has failed.' }] },
    });
    expect(JSON.stringify(task)).not.toContain('10.1.2.3');
    expect(JSON.stringify(messaging.faults)).toContain('10.1.2.3');
    expect([...messaging.ledger.outcomes.values()]).toEqual(['failed']);
  });

  it('has an unknown outcome when the answer was lost', async () => {
    await open({ capabilities: [balance()] });
    invoke = async () => err(backendFailureOf(new AttemptFault('lost', 'ECONNRESET')));
    const task = await sent({ data: { account: 7 } });
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    expect([...messaging.ledger.outcomes.values()]).toEqual(['outcome-unknown']);
  });

  it('fails when the output does not fit its schema', async () => {
    await open({ capabilities: [balance()] });
    invoke = async () => ok({ total: 's3cret' });
    const task = await sent({ data: { account: 7 } });
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    expect(JSON.stringify(task)).not.toContain('s3cret');
  });
});

describe('a message for a capability', () => {
  it('goes to its handler where there is one, whatever backend there is', async () => {
    await open({ capabilities: [balance()], handlers: { 'handler.balance': echo } });
    const task = await sent({ text: 'hello' });
    expect(task.artifacts).toMatchObject([{ artifactId: 'echo' }]);
    expect(calls).toEqual([]);
  });

  it('is on record with what was said before, if its handler gets that', async () => {
    const handlers = { 'handler.balance': echo, 'handler.invoice': echo };
    const directInvoke = taking('number', {});
    await open({ capabilities: [balance({ directInvoke }), invoice], handlers });
    const asked = await sent({ data: { number: 3 } });
    const answer = { ...message({ text: 'balance' }), taskId: asked.id };
    await messaging.taskOf({ message: answer }, ALICE);
    const [call] = messaging.calls;
    expect(call!.message.parts).toEqual([{ data: { number: 3 } }, { text: 'balance' }]);
    const [admission] = messaging.ledger.admissions;
    expect(admission!.argumentsDigest).toBe(hashJson(call!.message));
  });

  it('is refused where there is neither', async () => {
    await open({ capabilities: [balance({ handler: 'handler.absent' })] });
    expect(await refused({ data: { account: 7 } })).toMatchObject({ code: 'handler-absent' });
  });
});
