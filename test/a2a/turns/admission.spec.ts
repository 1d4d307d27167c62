import { afterEach, describe, expect, it } from '@jest/globals';
import type { SendMessageRequest } from '../../../src/a2a/wire/types.js';
import type { Capability } from '../../../src/capabilities/domain/capability.js';
import {
  capability,
  partner,
  type CapabilityChanges,
} from '../../capabilities/support/capabilities.js';
import { eventually } from '../../support/eventually.js';
import { message, Messaging, saying, type MessagingOptions } from '../support/messaging.js';

const ECHO = capability('echo');
let messaging: Messaging;

async function open(
  capabilities: readonly Capability[],
  more: Partial<MessagingOptions> = {},
): Promise<Messaging> {
  messaging = await Messaging.open({ capabilities, ...more });
  return messaging;
}

afterEach(async () => {
  await messaging.close();
});

/** Whatever is refused leaves no task and no invocation behind. */
async function expectNothingRecorded(): Promise<void> {
  expect(messaging.calls).toHaveLength(0);
  expect(messaging.ledger.admissions).toHaveLength(0);
  const owner = { kind: 'principal', tenant: 'partner', principal: 'client|partner' } as const;
  const agent = partner().agent;
  const listed = await messaging.tasks.list({ ...owner, agent }, ECHO.manifest.agentId, {});
  expect(listed).toMatchObject({ ok: true, value: { totalSize: 0 } });
}

describe('entitlement at the head of the stream', () => {
  it.each<[string, CapabilityChanges, string]>([
    ['made internal', { visibility: 'internal' }, 'capability-unavailable'],
    ['restricted', { visibility: 'extended', requiresScopes: ['x'] }, 'capability-unavailable'],
    ['sent back to preview', { state: 'preview' }, 'capability-unavailable'],
    ['removed', { state: 'removed' }, 'skill-removed'],
  ])('refuses what was %s though the view has not heard of it', async (_, changes, code) => {
    await open([ECHO]);
    messaging.registry.putHead(capability('echo', changes));
    expect(await messaging.refusalOf(saying('hello'))).toMatchObject({
      error: 'UnsupportedOperation',
      code,
    });
    await expectNothingRecorded();
  });

  it.each<[string, CapabilityChanges]>([
    ['removed', { state: 'removed' }],
    ['restricted', { visibility: 'extended', requiresScopes: ['x'] }],
    ['sent back to preview', { state: 'preview' }],
    ['made internal', { visibility: 'internal' }],
    ['given to another handler', { handler: 'handler.other' }],
    ['given other limits', { limits: { max_parts: 9 } }],
    ['given other input modes', { skill: { inputModes: ['text/plain', 'image/png'] } }],
    ['given other output modes', { skill: { outputModes: ['text/html'] } }],
    ['put under a contract', { requiresContract: true, action: 'x' }],
    ['bound to other data', { data: ['ledger'] }],
    ['opened to any party', { callers: 'any-party' }],
  ])('voids a call whose capability is %s before its admission', async (_, changes) => {
    await open([ECHO]);
    messaging.registry.beforeHead = (look) => {
      if (look === 2) messaging.registry.putHead(capability('echo', changes));
    };
    const task = await messaging.taskOf(saying('hello'));
    expect(task.status.state).toBe('TASK_STATE_REJECTED');
    expect(messaging.calls).toHaveLength(0);
    expect(messaging.ledger.ends).toEqual(['voided']);
  });
});

describe('a harmless change of a capability before the admission of a call', () => {
  it.each<[string, CapabilityChanges]>([
    ['deprecation', { state: 'deprecated' }],
    [
      'other words',
      { skill: { name: 'New name', description: 'New.', tags: ['t'], examples: [] } },
    ],
    ['another owner', { owner: 'other-team' }],
    ['the same modes in another order', { skill: { outputModes: ['text/csv', 'text/plain'] } }],
    ['somebody let into the preview', { optedIn: ['somebody-else'] }],
    ['scopes that the caller has', { visibility: 'extended', requiresScopes: ['recon.run'] }],
  ])('does not stop it: %s', async (_, changes) => {
    await open([capability('echo', { skill: { outputModes: ['text/plain', 'text/csv'] } })]);
    const { skill } = changes;
    const outputModes = skill?.outputModes ?? ['text/plain', 'text/csv'];
    messaging.registry.beforeHead = (look) => {
      if (look === 2) {
        const revised = { ...changes, skill: { ...skill, outputModes } };
        messaging.registry.putHead(capability('echo', revised));
      }
    };
    const task = await messaging.taskOf(saying('hello'), partner({ scopes: ['recon.run'] }));
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    await eventually(() => messaging.ledger.ends[0] === 'succeeded');
    expect(messaging.ledger.admissions[0]?.basedOn).toEqual({ 'capability-finance-agent/echo': 0 });
  });
});

describe('before a handler runs', () => {
  it.each<[string, CapabilityChanges, string, string]>([
    [
      'needs a contract',
      { requiresContract: true, action: 'x' },
      'UnsupportedOperation',
      'contract-required',
    ],
    ['has no handler here', { handler: 'elsewhere' }, 'UnsupportedOperation', 'handler-absent'],
    ['takes fewer parts', { limits: { max_parts: 1 } }, 'InvalidParams', 'too-many-parts'],
    [
      'takes fewer bytes',
      { limits: { max_message_bytes: 99 } },
      'InvalidParams',
      'message-too-large',
    ],
  ])('a capability that %s refuses', async (_, changes, error, code) => {
    await open([capability('echo', changes)], {
      handlers: { 'handler.echo': async function* () {} },
    });
    const refusal = await messaging.refusalOf({ message: message({ text: 'a' }, { text: 'b' }) });
    expect(refusal).toMatchObject({ error, code });
    expect(refusal.text).not.toContain('elsewhere');
    await expectNothingRecorded();
  });

  it('a client that accepts none of its output modes is told so', async () => {
    await open([ECHO]);
    const configuration = { acceptedOutputModes: ['image/png', 'text/*'] };
    expect(await messaging.refusalOf({ ...saying('hello'), configuration })).toMatchObject({
      error: 'ContentTypeNotSupported',
      code: 'output-modes-unmet',
    });
    await expectNothingRecorded();
  });

  it('parts of another media type are refused, and nothing hidden is named', async () => {
    const hidden = capability('scan', {
      visibility: 'internal',
      skill: { inputModes: ['image/png'] },
    });
    await open([ECHO, hidden]);
    const refusal = await messaging.refusalOf({
      message: message({ raw: 'AA==', mediaType: 'image/png' }),
    });
    expect(refusal).toMatchObject({
      error: 'ContentTypeNotSupported',
      code: 'input-modes-unmet',
    });
    expect(refusal.text).toContain('text/plain');
    expect(refusal.text).not.toContain('image');
    await expectNothingRecorded();
  });

  it('a webhook that cannot be told is refused', async () => {
    await open([ECHO]);
    const configuration = { taskPushNotificationConfig: { url: 'http://10.0.0.1/hook' } };
    expect(await messaging.refusalOf({ ...saying('hello'), configuration })).toMatchObject({
      error: 'InvalidParams',
    });
    await expectNothingRecorded();
  });

  it('no more calls run at once than the manifest allows', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await open([capability('echo', { limits: { max_concurrent: 2 } })], {
      handlers: {
        'handler.echo': async function* () {
          await held;
          yield { kind: 'completed' };
        },
      },
    });
    const running = [messaging.taskOf(saying('one')), messaging.taskOf(saying('two'))];
    await eventually(() => messaging.calls.length === 2);
    expect(await messaging.refusalOf(saying('three'))).toMatchObject({
      error: 'Unavailable',
      code: 'capability-busy',
    });
    release();
    await Promise.all(running);
    await eventually(() => messaging.ledger.ends.every((end) => end === 'succeeded'));
    const fourth = await messaging.taskOf(saying('four'));
    expect(fourth.status.state).toBe('TASK_STATE_COMPLETED');
  });
});

describe('the last place of a capability', () => {
  it('taken by a message is no reason to refuse that very message', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await open([capability('echo', { limits: { max_concurrent: 1 } })], {
      handlers: {
        'handler.echo': async function* ({ message: { parts } }) {
          if (parts[0]?.text === 'start') yield { kind: 'input-required' };
          else await held;
        },
      },
    });
    const at = { configuration: { returnImmediately: true } };
    const many = (params: SendMessageRequest) =>
      Promise.all(Array.from({ length: 8 }, () => messaging.taskOf({ ...params, ...at })));
    const { id } = await messaging.taskOf(saying('start'));
    await eventually(() => messaging.ledger.ends[0] === 'succeeded');
    const first = saying('hello');
    const tasks = await many(first);
    expect(new Set(tasks.map((task) => task.id)).size).toBe(1);
    expect(await messaging.refusalOf(saying('hello'))).toMatchObject({ code: 'capability-busy' });
    const other = saying('other', { messageId: first.message.messageId });
    expect(await messaging.refusalOf(other)).toMatchObject({ code: 'message-id-reused' });
    release();
    await eventually(() => messaging.ledger.ends.every((end) => end === 'succeeded'));
    const further = await many(saying('go on', { taskId: id }));
    expect(new Set(further.map((task) => task.id))).toEqual(new Set([id]));
    expect(messaging.calls).toHaveLength(3);
  });
});

describe('a call that cannot be admitted', () => {
  it('fails its task, and does not run', async () => {
    await open([ECHO]);
    messaging.ledger.admit = async () => {
      throw new Error('the log is away');
    };
    const params = saying('hello');
    await expect(messaging.taskOf(params)).rejects.toThrow('the log is away');
    const task = await messaging.taskOf(params);
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    expect(messaging.calls).toHaveLength(0);
  });
});

describe('a call whose task is canceled on its way', () => {
  it.each(['before', 'after'] as const)(
    'does not run when that is durable %s its admission',
    async (when) => {
      await open([capability('echo', { limits: { max_concurrent: 1 } })]);
      const { ledger } = messaging;
      const admit = ledger.admit.bind(ledger);
      ledger.admit = async (admission) => {
        ledger.admit = admit;
        if (when === 'before') expect(await messaging.cancel(admission.taskId)).toBe(true);
        const admitted = await admit(admission);
        if (when === 'after') expect(await messaging.cancel(admission.taskId)).toBe(true);
        return admitted;
      };
      const params = saying('hello');
      const task = await messaging.taskOf(params);
      expect(task.status.state).toBe('TASK_STATE_CANCELED');
      expect(await messaging.taskOf(params)).toEqual(task);
      expect(messaging.calls).toHaveLength(0);
      expect(messaging.ledger.ends).toEqual(['canceled']);
      // Its place is free again.
      expect((await messaging.taskOf(saying('next'))).status.state).toBe('TASK_STATE_COMPLETED');
    },
  );
});

describe('the places of a node', () => {
  it('are not all for one caller', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await open([capability('echo')], {
      handlers: {
        'handler.echo': async function* () {
          await held;
          yield { kind: 'completed' };
        },
      },
    });
    const at = { configuration: { returnImmediately: true } };
    for (let i = 0; i < 500; i++) await messaging.taskOf({ ...saying('hello'), ...at });
    expect(await messaging.refusalOf(saying('one more'))).toMatchObject({
      error: 'Unavailable',
      code: 'capability-busy',
    });
    const other = partner({ tenant: 'another' });
    const task = await messaging.taskOf({ ...saying('hello'), ...at }, other);
    expect(task.status.state).toBe('TASK_STATE_SUBMITTED');
    release();
    await eventually(() => messaging.ledger.ends.length === 501);
  });
});
