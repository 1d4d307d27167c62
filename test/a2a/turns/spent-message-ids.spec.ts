import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { A2aRefusal } from '../../../src/a2a/wire/refusal.js';
import type { SendMessageRequest } from '../../../src/a2a/wire/types.js';
import type { Uuid } from '../../../src/kernel/ids.js';
import type { JsonObject } from '../../../src/kernel/json.js';
import { ok } from '../../../src/kernel/result.js';
import { capability, FINANCE, partner } from '../../capabilities/support/capabilities.js';
import { eventually } from '../../support/eventually.js';
import { DIRECT, message, Messaging, saying } from '../support/messaging.js';

const { tenant, principal, agent } = partner();
const OWNER = { kind: 'principal', tenant, principal, agent } as const;
const directInvoke = {
  inputSchema: { type: 'object' },
  outputSchema: { type: 'object' },
  backend: {},
  allowUnauthenticated: false,
};

let messaging: Messaging;
let runs: number;

beforeEach(async () => {
  runs = 0;
  messaging = await Messaging.open({
    capabilities: [
      capability('echo'),
      capability('add', { directInvoke }),
      capability('pay', { directInvoke, requiresContract: true, action: 'pay' }),
    ],
    handlers: {
      'handler.echo': async function* ({ message: { parts } }) {
        runs++;
        const [{ text } = {}] = parts;
        yield text === 'answer'
          ? { kind: 'message', parts: [{ text: 'pong' }] }
          : { kind: 'completed' };
      },
    },
    backends: {
      'handler.add': {
        summary: {},
        invoke: async () => {
          runs++;
          return ok({});
        },
      },
      'handler.pay': { summary: {}, invoke: async () => ok({}) },
    },
  });
  messaging.authorizer.agree({
    name: 'a',
    terms: { allowedActions: ['pay'], humanApprovalRequirements: ['pay'] },
  });
});

afterEach(async () => {
  await messaging.close();
});

const routed = (text = 'hello'): SendMessageRequest =>
  saying(text, { metadata: { skillId: 'echo' } });

function direct(skillId: string): SendMessageRequest {
  const call = { callId: 'c', skillId, arguments: {}, bypassModel: true };
  return saying('', { extensions: [DIRECT], metadata: { [DIRECT]: call } });
}

/** The codes of the refusal. */
async function refusalOf(params: SendMessageRequest, isDirect: boolean): Promise<string> {
  const extensions = isDirect ? [DIRECT] : [];
  const request = messaging.request(partner(), undefined, extensions);
  const sent = await messaging.messages.send(request, params);
  if (sent.ok) throw new Error(JSON.stringify(sent.value));
  const { code, metadata, faults } = sent.error satisfies A2aRefusal;
  return [code, metadata?.['refusal'], faults?.[0]?.pointer].filter(Boolean).join(' ');
}

async function send(params: SendMessageRequest, isDirect: boolean): Promise<JsonObject> {
  const request = messaging.request(partner(), undefined, isDirect ? [DIRECT] : []);
  const sent = await messaging.messages.send(request, params);
  if (!sent.ok) throw new Error(JSON.stringify(sent.error));
  return sent.value as unknown as JsonObject;
}

async function visible(): Promise<number> {
  const listed = await messaging.tasks.list(OWNER, FINANCE, {});
  if (!listed.ok) throw new Error(listed.error.code);
  return listed.value.totalSize;
}

const SPENT = 'message-id-spent /message/messageId';
const DIRECTLY = `SKILL_DIRECT_INVOKE_IDEMPOTENCY_CONFLICT ${SPENT}`;

describe('a message that comes again when its task is no longer kept', () => {
  it.each<readonly [string, () => SendMessageRequest, boolean, string]>([
    ['was routed', () => routed(), false, SPENT],
    ['was answered with a message', () => routed('answer'), false, SPENT],
    ['is a direct invoke', () => direct('add'), true, DIRECTLY],
  ])('and %s is told so, runs nothing and leaves no task', async (_, make, isDirect, refusal) => {
    const params = make();
    await send(params, isDirect);
    await eventually(() => messaging.ledger.ends[0] === 'succeeded');
    for (let round = 0; round < 2; round++) {
      await messaging.forget();
      // As often as it comes: the first of them looks, the others find what that one left.
      for (let time = 0; time < 3; time++) {
        expect(await refusalOf(params, isDirect)).toBe(refusal);
      }
      expect(await visible()).toBe(0);
    }
    expect([runs, messaging.ledger.admissions.length]).toEqual([1, 1]);
    expect(messaging.ledger.ends).toEqual(['succeeded']);
  });

  it('is another one with other content, as long as something is left of it', async () => {
    const params = routed();
    await send(params, false);
    await messaging.forget();
    expect(await refusalOf(params, false)).toBe(SPENT);
    const other = { message: { ...params.message, parts: [{ text: 'else' }] } };
    expect(await refusalOf(other, false)).toBe('message-id-reused /message/messageId');
  });

  it('and waited for an approval is told so, too', async () => {
    const params = direct('pay');
    const { id } = (await send(params, true))['task'] as { id: string };
    expect(await messaging.cancel(id)).toBe(true);
    const [request] = messaging.ledger.requests;
    await messaging.ledger.end(request!.invocationId, 'canceled');
    await messaging.forget();
    for (let time = 0; time < 2; time++) expect(await refusalOf(params, true)).toBe(DIRECTLY);
    expect(await visible()).toBe(0);
    expect(messaging.ledger.requests).toHaveLength(1);
  });

  it('and went on with a task ends that one, and says why', async () => {
    // Nobody can tell which skill it is for.
    const first = { message: message({ text: 'zzz' }) };
    const asked = await messaging.taskOf(first);
    expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const second = saying('hello', { taskId: asked.id, metadata: { skillId: 'echo' } });
    expect((await messaging.taskOf(second)).status.state).toBe('TASK_STATE_COMPLETED');
    await messaging.forget();
    await messaging.taskOf(first);
    const again = await messaging.taskOf(second);
    expect(again.status).toMatchObject({
      state: 'TASK_STATE_REJECTED',
      message: {
        parts: [{ text: 'The message was taken before, and what came of it is no longer kept.' }],
      },
    });
    expect(runs).toBe(1);
  });

  it('is no such message where the record failed: then nothing was run', async () => {
    const { admit } = messaging.ledger;
    messaging.ledger.admit = async () => ({ ok: false, error: { code: 'contention' } });
    const params = routed();
    const { task } = (await send(params, false)) as { task: { status: JsonObject } };
    expect(task.status).toMatchObject({
      state: 'TASK_STATE_FAILED',
      message: { parts: [{ text: 'The call could not be recorded, so nothing was run.' }] },
    });
    messaging.ledger.admit = admit;
    expect(await messaging.ledger.find('' as Uuid)).toBeUndefined();
    expect(runs).toBe(0);
  });
});
