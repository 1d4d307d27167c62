import { afterEach, describe, expect, it } from '@jest/globals';
import type { Capability } from '../../../src/capabilities/domain/capability.js';
import type { SkillId } from '../../../src/kernel/ids.js';
import { capability, partner } from '../../capabilities/support/capabilities.js';
import { message, Messaging, saying } from '../support/messaging.js';

const modes = ['text/plain', 'application/pdf'];

const LOOKUP = capability('lookup-invoice', {
  skill: {
    name: 'Look up an invoice',
    description: 'Finds an invoice and returns its payment status.',
    examples: ['Has invoice INV-18802 been paid?'],
    inputModes: modes,
  },
});
const RECONCILE = capability('reconcile-invoice', {
  visibility: 'extended',
  requiresScopes: ['recon.run'],
  skill: {
    name: 'Reconcile an invoice',
    description: 'Matches an invoice to its purchase order and lists differences.',
    examples: ['Reconcile invoice INV-20931 against its order.'],
    inputModes: modes,
  },
});
const PARTNER = partner({ scopes: ['recon.run'] });
const STRANGER = partner();
const PDF = { raw: 'JVBERi0=', mediaType: 'application/pdf' };

let messaging: Messaging;

async function open(...capabilities: readonly Capability[]): Promise<void> {
  messaging = await Messaging.open({ capabilities });
}

afterEach(async () => {
  await messaging.close();
});

function questionOf(task: Awaited<ReturnType<Messaging['taskOf']>>): string {
  expect(task.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  return task.status.message?.parts[0]?.text ?? '';
}

describe('a message without a skill id', () => {
  it('reaches the capability that its text is about', async () => {
    await open(LOOKUP, RECONCILE);
    const params = { message: message(PDF, { text: 'please reconcile this against the order' }) };
    await messaging.taskOf(params, PARTNER);
    expect(messaging.calls[0]?.grant.manifest.id).toBe('reconcile-invoice');
    expect(messaging.ledger.admissions[0]?.routing.layer).toBe('text-classifier');
  });

  it('asks back when its text is about something that its sender may not use', async () => {
    await open(LOOKUP, RECONCILE);
    const params = { message: message(PDF, { text: 'please reconcile this against the order' }) };
    const question = questionOf(await messaging.taskOf(params, STRANGER));
    expect(question).toContain('Look up an invoice');
    expect(question.toLowerCase()).not.toContain('reconcile');
    expect(messaging.calls).toHaveLength(0);
    expect(messaging.ledger.admissions).toHaveLength(0);
  });

  it.each(['reconcile-invoice', 'no-such-skill'])(
    'is asked about in the same words whether it prefers a hidden skill or none: %s',
    async (skillId) => {
      await open(LOOKUP, RECONCILE);
      const text = 'reconcile this against the order';
      const plain = await messaging.taskOf(saying(text), STRANGER);
      const hinted = await messaging.taskOf(saying(text, { metadata: { skillId } }), STRANGER);
      expect(questionOf(hinted)).toBe(questionOf(plain));
    },
  );

  it('asks back when it says nothing', async () => {
    await open(LOOKUP, RECONCILE);
    const question = questionOf(await messaging.taskOf({ message: message(PDF) }, PARTNER));
    expect(question).toContain('lookup-invoice');
    expect(question).toContain('reconcile-invoice');
  });
});

it('is not repeated to a caller who may no longer use what it names', async () => {
  await open(LOOKUP, RECONCILE);
  const params = { message: message(PDF) };
  const question = questionOf(await messaging.taskOf(params, PARTNER));
  expect(questionOf(await messaging.taskOf(params, PARTNER))).toBe(question);
  expect(await messaging.refusalOf(params, STRANGER)).toMatchObject({
    code: 'capability-unavailable',
  });
});

describe('the answer to a question', () => {
  it('continues the same task to the right handler, which sees the whole of what was said', async () => {
    await open(LOOKUP, RECONCILE);
    const asked = await messaging.taskOf({ message: message(PDF) }, PARTNER);
    const answer = saying('I need the differences to the purchase order', { taskId: asked.id });
    const done = await messaging.taskOf(answer, PARTNER);
    expect(done).toMatchObject({ id: asked.id, status: { state: 'TASK_STATE_COMPLETED' } });
    const [call] = messaging.calls;
    expect(call?.grant.manifest.id).toBe('reconcile-invoice');
    expect(call?.message.parts).toEqual([PDF, ...answer.message.parts]);
  });

  it.each(['Reconcile an invoice', '“reconcile-invoice”', '  RECONCILE an Invoice! '])(
    'may be no more than a name: %s',
    async (text) => {
      await open(LOOKUP, RECONCILE);
      const { id } = await messaging.taskOf({ message: message(PDF) }, PARTNER);
      await messaging.taskOf(saying(text, { taskId: id }), PARTNER);
      expect(messaging.ledger.admissions[0]).toMatchObject({
        skillId: 'reconcile-invoice',
        routing: { layer: 'preferred-skill' },
      });
    },
  );

  it('names nothing that its sender may not use', async () => {
    await open(LOOKUP, RECONCILE);
    const { id } = await messaging.taskOf({ message: message(PDF) }, STRANGER);
    const again = await messaging.taskOf(saying('Reconcile an invoice', { taskId: id }), STRANGER);
    expect(questionOf(again).toLowerCase()).not.toContain('reconcile');
    expect(again.id).toBe(id);
    expect(messaging.calls).toHaveLength(0);
  });

  it('may be unclear again, and is then asked about again', async () => {
    await open(LOOKUP, RECONCILE);
    const { id } = await messaging.taskOf({ message: message(PDF) }, PARTNER);
    expect(questionOf(await messaging.taskOf(saying('hmm', { taskId: id }), PARTNER))).not.toBe('');
    const done = await messaging.taskOf(saying('Look up an invoice', { taskId: id }), PARTNER);
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(messaging.calls[0]?.message.parts).toEqual([
      PDF,
      { text: 'hmm' },
      { text: 'Look up an invoice' },
    ]);
  });
});

describe('a removed capability', () => {
  const removed = (changes: Parameters<typeof capability>[1]): Capability =>
    capability('reconcile-invoice', {
      ...RECONCILE.manifest,
      state: 'removed',
      replacement: 'reconcile-v2' as SkillId,
      ...changes,
    });
  const SUCCESSOR = capability('reconcile-v2', {
    visibility: 'extended',
    requiresScopes: ['recon.run'],
    skill: { name: 'Line by line', description: 'Compares orders in detail.', examples: [] },
  });
  const ask = saying('reconcile invoice against its purchase order');

  it('answers with its replacement', async () => {
    await open(LOOKUP, removed({}), SUCCESSOR);
    const refusal = await messaging.refusalOf(ask, PARTNER);
    expect(refusal).toMatchObject({ error: 'UnsupportedOperation', code: 'skill-removed' });
    expect(refusal.text).toContain('reconcile-v2');
  });

  it('answers so to whoever prefers it', async () => {
    await open(LOOKUP, removed({}), SUCCESSOR);
    const hinted = saying('hello', { metadata: { skillId: 'reconcile-invoice' } });
    expect(await messaging.refusalOf(hinted, PARTNER)).toMatchObject({ code: 'skill-removed' });
  });

  it('does not exist for whoever was not entitled to it', async () => {
    await open(LOOKUP, removed({}), SUCCESSOR);
    const question = questionOf(await messaging.taskOf(ask, STRANGER));
    expect(question).not.toContain('econcile');
  });

  it('names no replacement that its caller may not use', async () => {
    const hidden = capability('reconcile-v2', { visibility: 'internal' });
    await open(LOOKUP, removed({}), hidden);
    const refusal = await messaging.refusalOf(ask, PARTNER);
    expect(refusal.code).toBe('skill-removed');
    expect(refusal.text).not.toContain('reconcile-v2');
  });

  it('names what replaced its replacement', async () => {
    const gone = capability('reconcile-v2', {
      ...SUCCESSOR.manifest,
      state: 'removed',
      replacement: 'lookup-invoice' as SkillId,
    });
    await open(LOOKUP, removed({}), gone);
    expect((await messaging.refusalOf(ask, PARTNER)).text).toContain('lookup-invoice');
  });
});
