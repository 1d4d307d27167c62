import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { InteractionId } from '../../../src/kernel/ids.js';
import { timestampOf } from '../../../src/kernel/timestamp.js';
import { capability, partner } from '../../capabilities/support/capabilities.js';
import { interactionIdOf, type Agreement } from '../../invocations/support/agreements.js';
import { eventually } from '../../support/eventually.js';
import { Messaging, saying, TRUST } from '../support/messaging.js';

const RECONCILE = capability('reconcile', { requiresContract: true, action: 'reconcile' });
const ALLOWS = { allowedActions: ['reconcile'] };

let messaging: Messaging;

beforeEach(async () => {
  messaging = await Messaging.open({ capabilities: [RECONCILE] });
});

afterEach(async () => {
  await messaging.close();
});

function naming(interactionId: InteractionId, more = {}) {
  return saying('hello', { metadata: { [TRUST]: { interactionId, ...more } } });
}

describe('a call under a contract', () => {
  it('runs, and its grant, its rule and its terms go on record before it does', async () => {
    const [contract] = messaging.authorizer.agree({ name: 'a', terms: ALLOWS });
    const params = saying('hello');
    expect((await messaging.taskOf(params)).status.state).toBe('TASK_STATE_COMPLETED');
    const { interactionId, revisions } = contract!;
    const terms = { interactionId, revision: 1, termsHash: revisions[0]!.termsHash };
    expect(messaging.ledger.admissions).toMatchObject([
      {
        rule: 'allowed-action',
        terms,
        action: 'reconcile',
        data: [],
        basedOn: {
          'capability-finance-agent/reconcile': 0,
          'agent-finance-agent': 0,
          'agent-partner-agent': 0,
          [`interaction-${interactionId}`]: 1,
        },
      },
    ]);
    expect(messaging.calls[0]!.grant).toMatchObject({ rule: 'allowed-action', terms });
    const digest = messaging.ledger.admissions[0]!.argumentsDigest;
    expect(digest).toMatch(/^[\w-]{43}$/);
    await messaging.taskOf(saying('hello'));
    expect(messaging.ledger.admissions[1]!.argumentsDigest).not.toBe(digest);
  });

  it('is one of those that the message names, where several allow it', async () => {
    messaging.authorizer.agree({ name: 'a', terms: ALLOWS }, { name: 'b', terms: ALLOWS });
    const refusal = await messaging.refusalOf(saying('hello'));
    expect(refusal.code).toBe('contract-ambiguous');
    await messaging.taskOf(naming(interactionIdOf('b')));
    expect(messaging.ledger.admissions[0]!.terms!.interactionId).toBe(interactionIdOf('b'));
  });
});

describe('a call that no contract allows', () => {
  it.each<[string, string, readonly Agreement['terms'][]]>([
    ['without one', 'contract-required', []],
    ['for another action', 'action-not-allowed', [{ allowedActions: ['pay'] }]],
    ['that prohibits it', 'action-prohibited', [{ ...ALLOWS, prohibitedActions: ['reconcile'] }]],
    [
      'with prose for a prohibition',
      'prohibition-unclear',
      [{ ...ALLOWS, prohibitedData: ['No.'] }],
    ],
    [
      'after its deadline',
      'deadline-passed',
      [{ ...ALLOWS, deadline: timestampOf(Date.now() - 1000) }],
    ],
  ])('%s is refused as %s, and leaves nothing behind', async (_, code, terms) => {
    messaging.authorizer.agree(
      ...terms.map((each, index) => ({ name: `c${index}`, terms: each! })),
    );
    const params = saying('hello');
    expect(await messaging.refusalOf(params)).toMatchObject({
      error: 'UnsupportedOperation',
      code,
    });
    expect(messaging.calls).toHaveLength(0);
    expect(messaging.ledger.admissions).toHaveLength(0);
    // The refusal of a message takes no message id: it may be sent again once there is a contract.
    messaging.authorizer.agree({ name: 'later', terms: ALLOWS });
    expect((await messaging.taskOf(params)).status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('goes on record for a party of a contract, with the contract and the digest', async () => {
    const terms = { ...ALLOWS, prohibitedActions: ['reconcile'] };
    messaging.authorizer.agree({ name: 'a', terms });
    const { text } = await messaging.refusalOf(saying('hello'));
    expect(text).toContain(interactionIdOf('a'));
    expect(text).toContain('"entry":"reconcile"');
    await eventually(() => messaging.ledger.refusals.length === 1);
    expect(messaging.ledger.refusals[0]).toMatchObject({
      agentId: 'finance-agent',
      skillId: 'reconcile',
      code: 'action-prohibited',
      terms: { interactionId: interactionIdOf('a') },
      caller: { principal: 'client|partner' },
    });
    expect(messaging.ledger.refusals[0]!.argumentsDigest).toMatch(/^[\w-]{43}$/);
  });

  it('of whoever is party of none is not put on record, and names no contract', async () => {
    expect((await messaging.refusalOf(saying('hello'))).text).not.toContain('interactionId');
    const stranger = partner({ agent: 'stranger', tenant: 'elsewhere' });
    messaging.authorizer.agree({ name: 'a', terms: ALLOWS });
    const { code, text } = await messaging.refusalOf(naming(interactionIdOf('a')), stranger);
    expect(code).toBe('agent-not-acting');
    expect(text).not.toContain(interactionIdOf('a'));
    expect(messaging.ledger.refusals).toHaveLength(0);
  });

  it('asks whoever has no token for one', async () => {
    expect(await messaging.refusalOf(saying('hello'), null)).toMatchObject({
      error: 'UnsupportedOperation',
      code: 'token-required',
    });
  });
});

describe('a contract that changes while a call is on its way', () => {
  it.each<[string, Partial<Agreement>]>([
    ['cancelled', { became: 'cancelled' }],
    ['expired', { became: 'expired' }],
    ['amended', { amended: { ...ALLOWS, purpose: 'Something else' } }],
  ])('voids it when it is %s before its admission', async (_, change) => {
    messaging.authorizer.agree({ name: 'a', terms: ALLOWS });
    messaging.authorizer.beforeAnswer = (look) => {
      if (look === 2) messaging.authorizer.agree({ name: 'a', terms: ALLOWS, ...change });
    };
    const { status } = await messaging.taskOf(saying('hello'));
    expect(status.state).toBe('TASK_STATE_REJECTED');
    expect(messaging.calls).toHaveLength(0);
    expect(messaging.ledger.ends).toEqual(['voided']);
  });

  it('does not void it when another one that would allow it comes', async () => {
    messaging.authorizer.agree({ name: 'a', terms: ALLOWS });
    messaging.authorizer.beforeAnswer = (look) => {
      if (look !== 2) return;
      messaging.authorizer.agree({ name: 'a', terms: ALLOWS }, { name: 'b', terms: ALLOWS });
    };
    expect((await messaging.taskOf(saying('hello'))).status.state).toBe('TASK_STATE_COMPLETED');
  });
});

describe('the same message again', () => {
  it('is authorized anew', async () => {
    messaging.authorizer.agree({ name: 'a', terms: ALLOWS });
    const params = saying('hello');
    const { id } = await messaging.taskOf(params);
    expect((await messaging.taskOf(params)).id).toBe(id);
    messaging.authorizer.agree({ name: 'a', terms: ALLOWS, became: 'cancelled' });
    expect((await messaging.refusalOf(params)).code).toBe('contract-required');
    expect(messaging.calls).toHaveLength(1);
  });
});
