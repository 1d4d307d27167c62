import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AgentMessages } from '../../../src/a2a/turns/agent-messages.js';
import type { A2aRefusal } from '../../../src/a2a/wire/refusal.js';
import type { SendMessageRequest, Task } from '../../../src/a2a/wire/types.js';
import type { Uuid } from '../../../src/kernel/ids.js';
import type { JsonObject } from '../../../src/kernel/json.js';
import { ok } from '../../../src/kernel/result.js';
import { capability, FINANCE, partner } from '../../capabilities/support/capabilities.js';
import { eventually } from '../../support/eventually.js';
import { DIRECT, Messaging, saying } from '../support/messaging.js';

const caller = partner();
const OWNER = {
  kind: 'principal',
  tenant: caller.tenant,
  principal: caller.principal,
  agent: caller.agent,
} as const;
const DIRECT_INVOKE = {
  inputSchema: { type: 'object' },
  outputSchema: { type: 'object' },
  backend: {},
  allowUnauthenticated: false,
};
const REUSED = 'SKILL_DIRECT_INVOKE_IDEMPOTENCY_CONFLICT message-id-reused';
const KEY_REUSED = 'SKILL_DIRECT_INVOKE_IDEMPOTENCY_CONFLICT idempotency-key-reused';

let messaging: Messaging;
/** Two nodes over the same records. */
let here: AgentMessages;
let there: AgentMessages;
let runs: number;

beforeEach(async () => {
  runs = 0;
  const pay = { requiresContract: true, action: 'pay', directInvoke: DIRECT_INVOKE };
  const backend = {
    summary: {},
    invoke: async ({ arguments: given }: { arguments: JsonObject }) => {
      runs++;
      return ok({ given });
    },
  };
  messaging = await Messaging.open({
    capabilities: [
      capability('add', { directInvoke: DIRECT_INVOKE }),
      capability('pay', pay),
      capability('echo'),
    ],
    backends: { 'handler.add': backend, 'handler.pay': backend },
  });
  here = messaging.messages;
  there = messaging.another();
});

afterEach(async () => {
  await messaging.close();
});

/** A direct invoke of this message id. */
function invoking(messageId: string, payload: JsonObject = {}): SendMessageRequest {
  const call = { callId: 'c', skillId: 'add', arguments: { a: 1 }, bypassModel: true, ...payload };
  return saying('', { messageId, extensions: [DIRECT], metadata: { [DIRECT]: call } });
}

const under = (idempotencyKey: string, messageId: string, more: JsonObject = {}) =>
  invoking(messageId, { idempotencyKey, ...more });

/** The id of the task, or the codes of the refusal. */
async function send(
  node: AgentMessages,
  params: SendMessageRequest,
  extensions: readonly string[] = [DIRECT],
): Promise<string> {
  const sent = await node.send(messaging.request(caller, undefined, extensions), params);
  if (!sent.ok) return codesOf(sent.error);
  if (!('task' in sent.value)) throw new Error(JSON.stringify(sent.value));
  return sent.value.task.id;
}

function codesOf({ code, metadata }: A2aRefusal): string {
  return [code, metadata?.['refusal']].filter((each) => each !== undefined).join(' ');
}

async function listed(): Promise<readonly Task[]> {
  const list = await messaging.tasks.list(OWNER, FINANCE, {});
  if (!list.ok) throw new Error(JSON.stringify(list.error));
  return list.value.tasks;
}

/** Holds this many at the door of the record until all are there. */
function meetingAt(method: 'admit' | 'request', count: number): void {
  const { ledger } = messaging;
  const pass = ledger[method].bind(ledger) as (given: never) => Promise<never>;
  let waiting = 0;
  let open: () => void = () => undefined;
  const all = new Promise<void>((resolve) => (open = resolve));
  ledger[method] = async (given: never) => {
    if (++waiting === count) open();
    await all;
    return pass(given);
  };
}

/** The next one that is to be admitted is not heard of again, until it is let go. */
function dyingBeforeAdmission(): { readonly letGo: () => void; readonly hasDied: () => boolean } {
  const { ledger } = messaging;
  const pass = ledger.admit.bind(ledger);
  let letGo: () => void = () => undefined;
  let hasDied = false;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  ledger.admit = async (admission) => {
    ledger.admit = pass;
    hasDied = true;
    await held;
    return pass(admission);
  };
  return { letGo, hasDied: () => hasDied };
}

describe('a message id', () => {
  it('has one effect, whatever keys come with it, and spends no other key', async () => {
    const first = await send(here, under('k1', 'm'));
    expect(await send(here, under('k2', 'm'))).toBe(REUSED);
    expect(await send(there, invoking('m'))).toBe(REUSED);
    expect(await send(there, under('k1', 'm'))).toBe(first);
    expect(runs).toBe(1);
    expect(await send(here, under('k2', 'another'))).not.toBe(first);
    expect(runs).toBe(2);
  });

  it('has one effect, whether it comes with a key, without one or to be routed', async () => {
    const forms: Record<string, (id: string) => [SendMessageRequest, readonly string[]]> = {
      keyed: (id) => [under(id, id), [DIRECT]],
      unkeyed: (id) => [invoking(id), [DIRECT]],
      routed: (id) => [saying('hello', { messageId: id, metadata: { skillId: 'add' } }), []],
    };
    for (const [name, first] of Object.entries(forms)) {
      for (const [otherName, second] of Object.entries(forms)) {
        if (name === otherName) continue;
        const id = `${name}, then ${otherName}`;
        await send(here, ...first(id));
        const before = [runs, messaging.calls.length];
        const refused = await send(there, ...second(id));
        expect([id, refused]).toEqual([id, otherName === 'routed' ? 'message-id-reused' : REUSED]);
        expect([runs, messaging.calls.length]).toEqual(before);
      }
    }
  });

  it.each<[string, JsonObject]>([
    ['with a key', { idempotencyKey: 'k' }],
    ['without one', {}],
  ])('that was routed before is no direct invoke, %s', async (_, payload) => {
    const invoke = invoking('m', payload);
    // Routed by the hint of another skill than the one that is named.
    const { metadata } = invoke.message;
    const params = { message: { ...invoke.message, metadata: { ...metadata, skillId: 'echo' } } };
    const routed = await send(here, params, []);
    expect((await messaging.tasks.load(routed as Uuid))?.binding?.skillId).toBe('echo');
    for (const node of [here, there]) expect(await send(node, params)).toBe(REUSED);
    expect(await send(there, params, [])).toBe(routed);
    expect([runs, messaging.ledger.admissions.length]).toEqual([0, 1]);
    // The key is unused.
    expect(await send(here, invoking('another', payload))).not.toBe(routed);
    expect(runs).toBe(1);
  });

  it.each<[string, JsonObject]>([
    ['with a key', { idempotencyKey: 'k' }],
    ['without one', {}],
  ])('that was a direct invoke stays one without the extension, %s', async (_, payload) => {
    const first = await send(here, invoking('m', payload));
    for (const node of [here, there]) {
      expect(await send(node, invoking('m', payload), [])).toBe(first);
      expect(await send(node, invoking('m', payload))).toBe(first);
    }
    expect([runs, messaging.ledger.admissions.length]).toEqual([1, 1]);
  });

  it('is compared by its key first: the same call may be told differently', async () => {
    const first = await send(here, under('k', 'm'));
    expect(await send(there, under('k', 'm', { callId: 'again', traceId: 't' }))).toBe(first);
    expect(await send(there, under('k', 'm', { arguments: { a: 2 } }))).toBe(KEY_REUSED);
    expect(runs).toBe(1);
  });

  it('runs once when it comes at once to two nodes under forty keys', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, n) =>
        send(n % 2 === 0 ? here : there, under(`k${String(n)}`, 'm')),
      ),
    );
    expect(answers.filter((answer) => answer !== REUSED)).toHaveLength(1);
    expect([runs, messaging.ledger.admissions.length]).toEqual([1, 1]);
    expect(await listed()).toHaveLength(1);
  });
});

describe('a key under two message ids', () => {
  it('is one task when both come to be admitted on two nodes at once', async () => {
    meetingAt('admit', 2);
    const [one, other] = await Promise.all([
      send(here, under('k', 'm1')),
      send(there, under('k', 'm2')),
    ]);
    expect(one).toBe(other);
    expect(runs).toBe(1);
    // Of the message that came second nothing is to be seen, and it stays what it was.
    expect((await listed()).map(({ id }) => id)).toEqual([one]);
    for (const node of [here, there]) {
      for (const id of ['m1', 'm2', 'm3']) expect(await send(node, under('k', id))).toBe(one);
    }
    expect(await send(here, under('k2', 'm1'))).toBe(REUSED);
    expect(await send(here, under('k2', 'm2'))).toBe(REUSED);
    expect(runs).toBe(1);
  });

  it('conflicts when both come at once with different arguments', async () => {
    meetingAt('admit', 2);
    const answers = await Promise.all([
      send(here, under('k', 'm1')),
      send(there, under('k', 'm2', { arguments: { a: 2 } })),
    ]);
    expect(answers.filter((answer) => answer === KEY_REUSED)).toHaveLength(1);
    expect([runs, (await listed()).length]).toEqual([1, 1]);
  });

  it('waits for one approval when both come at once', async () => {
    const terms = { allowedActions: ['pay'], humanApprovalRequirements: ['pay'] };
    messaging.authorizer.agree({ name: 'a', terms });
    meetingAt('request', 2);
    const pay = { skillId: 'pay' };
    const [one, other] = await Promise.all([
      send(here, under('k', 'm1', pay)),
      send(there, under('k', 'm2', pay)),
    ]);
    expect(one).toBe(other);
    expect(messaging.ledger.requests).toHaveLength(1);
    expect((await listed()).map(({ id, status }) => [id, status.state])).toEqual([
      [one, 'TASK_STATE_AUTH_REQUIRED'],
    ]);
    expect(messaging.faults).toEqual([]);
  });

  it('is told of the first one though the node died that came second', async () => {
    const { hasDied } = dyingBeforeAdmission();
    void send(there, under('k', 'm2'));
    await eventually(hasDied);
    const first = await send(here, under('k', 'm1'));
    const another = messaging.another();
    expect(await send(another, under('k', 'm2'))).toBe(first);
    expect(await send(another, under('k2', 'm2'))).toBe(REUSED);
    expect(runs).toBe(1);
  });

  it('runs under the second when the node of the first died before it was on record', async () => {
    const { hasDied, letGo } = dyingBeforeAdmission();
    const dead = send(there, under('k', 'm1'));
    await eventually(hasDied);
    const second = await send(here, under('k', 'm2'));
    expect(await send(here, under('k', 'm1'))).toBe(second);
    // It was only slow.
    letGo();
    expect(await dead).toBe(second);
    expect(runs).toBe(1);
    expect((await listed()).map(({ id }) => id)).toEqual([second]);
  });
});

describe('a direct invoke whose task is canceled before its admission', () => {
  it.each<[string, JsonObject]>([
    ['with a key', { idempotencyKey: 'k' }],
    ['without one', {}],
  ])('never runs, and is that task when it comes again, %s', async (_, payload) => {
    const { hasDied, letGo } = dyingBeforeAdmission();
    const sent = send(here, invoking('m', payload));
    await eventually(hasDied);
    const [task] = await listed();
    expect(await messaging.cancel(task!.id, caller)).toBe(true);
    letGo();
    expect(await sent).toBe(task!.id);
    expect(await send(there, invoking('m', payload))).toBe(task!.id);
    expect((await listed()).map(({ status }) => status.state)).toEqual(['TASK_STATE_CANCELED']);
    expect([runs, messaging.ledger.ends]).toEqual([0, ['canceled']]);
  });
});

describe('whatever message ids and keys come to two nodes at once', () => {
  it('what runs has both for itself, and every answer is its task or a conflict', async () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const call = fc.record({ at: fc.boolean(), id: name, key: fc.option(name) });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 2, maxLength: 12 }), async (calls) => {
        const prefix = String(round++);
        const before = [runs, messaging.ledger.admissions.length] as const;
        const answers = await Promise.all(
          calls.map(async ({ at, id, key }) => {
            const payload = key === null ? {} : { idempotencyKey: prefix + key };
            return send(at ? here : there, invoking(prefix + id, payload));
          }),
        );
        const admitted = messaging.ledger.admissions.slice(before[1]);
        expect(runs - before[0]).toBe(admitted.length);
        const tasks = new Set(admitted.map(({ taskId }) => taskId as string));
        expect(tasks.size).toBe(admitted.length);
        for (const answer of answers) expect([REUSED, ...tasks]).toContain(answer);
      }),
      { numRuns: 40 },
    );
  });
});
