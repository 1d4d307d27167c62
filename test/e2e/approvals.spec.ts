import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '../../src/kernel/json.js';
import { BINDINGS, saying, taskIdOf } from '../a2a/transports/support/bindings.js';
import { DIRECT_URI, TRUST_URI } from '../capabilities/support/extensions.js';
import type { SampleBackend } from '../invocations/backends/support/sample-backend.js';
import { eventually } from '../support/eventually.js';
import { startTestService, type InProcessService, type TokenOptions } from '../support/service.js';
import { Approver, verdictOf } from './support/approver.js';
import { HOST_TENANT } from './support/deployment.js';
import { invoking, outcomeOf, stateIn, type AgentClient } from './support/direct-calls.js';
import {
  agree,
  callerFor,
  contractSkill,
  FINANCE,
  financeDeployment,
  newPartner,
  registerFinance,
  startBackend,
} from './support/finance.js';
import { documentOf, newest, type Negotiator } from './support/negotiator.js';
import { recordedIn } from './support/recorded.js';

let service: InProcessService;
let backend: SampleBackend;
let finance: Negotiator;
let approver: Approver;

beforeAll(async () => {
  backend = await startBackend(() => service);
  service = await startTestService(await financeDeployment(backend, [contractSkill('reconcile')]));
  finance = await registerFinance(service);
  approver = await Approver.of(service);
});

afterAll(async () => {
  await service.dispose();
  await backend.stop();
});

const INVOICE = { invoice: 'INV-1' };
const ASKING = { humanApprovalRequirements: ['reconcile'] };

async function parties(terms: JsonObject = ASKING, expiresInMs?: number) {
  const partner = await newPartner(service);
  const document = await agree(partner, finance, terms, expiresInMs);
  return { partner, document, client: await callerFor(service, partner) };
}

/** A direct invoke that waits. */
async function waiting(client: AgentClient, payload: JsonObject = {}) {
  const reply = await client.invoke('reconcile', INVOICE, { payload });
  expect(outcomeOf(reply)).toBe('AUTH_REQUIRED');
  const id = taskIdOf(reply);
  return { id, approval: await approver.pendingFor(id) };
}

const becomes = (client: AgentClient, id: string, state: string) =>
  eventually(async () => (await client.stateOf(id)) === state);

/** How often the backend was called since. */
function counting(): () => number {
  const before = backend.received.length;
  return () => backend.received.length - before;
}

describe.each(BINDINGS)('a call that a contract lets nobody make unapproved ($name)', (binding) => {
  it('waits as AUTH_REQUIRED, and completes for a client that polls', async () => {
    const { client: caller, document, partner } = await parties();
    const client = caller.over(binding);
    const runs = counting();
    const { body: explained } = await client.explain('reconcile');
    expect(explained).toMatchObject({ decision: 'grant', approvals: ['reconcile'] });
    const reply = await client.invoke('reconcile', INVOICE, { payload: { traceId: 'trace-1' } });
    const id = taskIdOf(reply);
    const approval = await approver.pendingFor(id);
    const { invocationId } = approval;
    expect(reply.result).toMatchObject({
      task: {
        status: { state: 'TASK_STATE_AUTH_REQUIRED' },
        metadata: { [TRUST_URI]: { approval: { invocationId, expiresAt: approval['expiresAt'] } } },
      },
    });
    expect(await client.stateOf(id)).toBe('AUTH_REQUIRED');
    const { body } = await approver.read(invocationId);
    expect(body).toMatchObject({
      ...{ agentId: FINANCE, skillId: 'reconcile', action: 'reconcile', state: 'pending' },
      ...{ interactionId: document.interactionId, revision: 1, entries: ['reconcile'] },
      ...{ caller: { principal: partner.client, agent: partner.agentId }, arguments: INVOICE },
    });
    expect(runs()).toBe(0);
    expect(verdictOf(await approver.decide(approval, 'approve'))).toBe('approved');
    await becomes(client, id, 'COMPLETED');
    const { result } = await client.ask('GetTask', { id });
    expect(result).toMatchObject({
      artifacts: [{ parts: [{ data: { for: partner.client, arguments: INVOICE } }] }],
      metadata: {
        [DIRECT_URI]: {
          callId: 'call-1',
          traceId: 'trace-1',
          metrics: { llmPlanningLatencyMs: 0 },
        },
      },
    });
    expect(runs()).toBe(1);
    expect(backend.received.at(-1)?.claims).toMatchObject({ invocation_id: invocationId });
    expect((await approver.read(invocationId)).body['usedAt']).toEqual(expect.any(String));
  });

  it('the same for a routed message', async () => {
    const client = (await parties()).client.over(binding);
    const reply = await client.route('reconcile');
    expect(outcomeOf(reply)).toBe('AUTH_REQUIRED');
    const id = taskIdOf(reply);
    await approver.decide(await approver.pendingFor(id), 'approve');
    await becomes(client, id, 'COMPLETED');
  });

  it('a subscriber’s stream goes over the approval to the end', async () => {
    const client = (await parties()).client.over(binding);
    const { id, approval } = await waiting(client);
    const subscribed = client.ask('SubscribeToTask', { id });
    await new Promise((resolve) => setTimeout(resolve, 100));
    await approver.decide(approval, 'approve');
    const { events = [] } = await subscribed;
    const [first, ...rest] = events.map(({ response }) => wordOf(response));
    expect(first).toBe('AUTH_REQUIRED');
    expect(rest.slice(-2)).toEqual(['artifact', 'COMPLETED']);
  });

  it('a stream of the call itself says that it waits', async () => {
    const client = (await parties()).client.over(binding);
    const params = invoking('reconcile', INVOICE);
    const sent = client.send(params, 'SendStreamingMessage');
    let id = '';
    await eventually(async () => {
      const pending = await approver.list();
      const own = pending.find(({ caller }) => principalIn(caller) === client.principal);
      id = own?.taskId ?? '';
      return own !== undefined;
    });
    await approver.decide(await approver.pendingFor(id), 'approve');
    const words = ((await sent).events ?? []).map(({ response }) => wordOf(response));
    expect(words).toEqual(['AUTH_REQUIRED']);
    await becomes(client, id, 'COMPLETED');
  });

  it('takes no message meanwhile', async () => {
    const client = (await parties()).client.over(binding);
    const { id, approval } = await waiting(client);
    const reply = await client.ask('SendMessage', saying('Hurry up.', { taskId: id }));
    expect(outcomeOf(reply)).toBe('approval-pending');
    await approver.decide(approval, 'deny');
  });

  it('is answered as waiting, and as what became of it, when it is sent again', async () => {
    const client = (await parties()).client.over(binding);
    const payload = { idempotencyKey: 'approved-once' };
    const runs = counting();
    const { id, approval } = await waiting(client, payload);
    const again = await client.invoke('reconcile', INVOICE, { payload });
    expect([taskIdOf(again), outcomeOf(again)]).toEqual([id, 'AUTH_REQUIRED']);
    await approver.decide(approval, 'approve');
    await becomes(client, id, 'COMPLETED');
    const done = await client.invoke('reconcile', INVOICE, { payload });
    expect([taskIdOf(done), outcomeOf(done)]).toEqual([id, 'COMPLETED']);
    expect(runs()).toBe(1);
  });

  it('denied, it is rejected and never runs', async () => {
    const client = (await parties()).client.over(binding);
    const runs = counting();
    const payload = { idempotencyKey: 'denied' };
    const { id, approval } = await waiting(client, payload);
    const answer = await approver.decide(approval, 'deny', { reason: 'Known for fraud.' });
    expect(verdictOf(answer)).toBe('denied');
    await becomes(client, id, 'REJECTED');
    const { text } = await client.ask('GetTask', { id });
    expect(text).toContain('approval-denied');
    expect(text).not.toContain('fraud');
    const again = await client.invoke('reconcile', INVOICE, { payload });
    expect(outcomeOf(again)).toBe('FORBIDDEN approval-denied');
    expect(again.error?.metadata['taskId']).toBe(id);
    expect(runs()).toBe(0);
  });

  it('canceled by its caller, its approval is void', async () => {
    const client = (await parties()).client.over(binding);
    const runs = counting();
    const { id, approval } = await waiting(client);
    const { result } = await client.ask('CancelTask', { id });
    expect(stateIn(result)).toBe('CANCELED');
    await eventually(
      async () => verdictOf(await approver.decide(approval, 'approve')) === 'approval-void',
    );
    expect(await client.stateOf(id)).toBe('CANCELED');
    expect(runs()).toBe(0);
  });
});

describe('calls that wait', () => {
  it('are a hundred at most, however many come at once; each decision makes room for one', async () => {
    const { client } = await parties();
    const burst = async (count: number): Promise<readonly string[]> => {
      const calls = Array.from({ length: count }, () => client.invoke('reconcile', INVOICE));
      return (await Promise.all(calls)).map((reply) => outcomeOf(reply));
    };
    const waits = (outcome: string): boolean => outcome === 'AUTH_REQUIRED';
    const outcomes = await burst(160);
    expect(outcomes.filter(waits)).toHaveLength(100);
    expect(new Set(outcomes).size).toBe(2);
    const own = (await approver.list()).filter(
      ({ caller }) => principalIn(caller) === client.principal,
    );
    expect(own).toHaveLength(100);
    for (const approval of own.slice(0, 3)) await approver.decide(approval, 'deny');
    expect((await burst(20)).filter(waits)).toHaveLength(3);
  });
});

describe('an approval', () => {
  it('is given by nobody who is of the caller', async () => {
    const { partner, client } = await parties();
    const { id, approval } = await waiting(client);
    const others: readonly (readonly [TokenOptions, string])[] = [
      [{ principal: partner.client }, 'approver-involved'],
      [{ principal: partner.owner }, 'approver-involved'],
      [{ principal: 'x', client: partner.client }, 'approver-involved'],
      [{ principal: 'x', agent: partner.agentId }, 'approver-involved'],
      [{ principal: partner.agentId }, 'approver-involved'],
      [{ principal: 'x', tenant: partner.tenant }, 'approval-not-found'],
      [{ principal: 'x', tenant: 'elsewhere' }, 'approval-not-found'],
      [{ principal: 'x', scopes: ['operator:read', 'agents:write'] }, 'scope-missing'],
    ];
    for (const [options, code] of others) {
      const somebody = await Approver.of(service, options);
      expect([options, verdictOf(await somebody.decide(approval, 'approve'))]).toEqual([
        options,
        code,
      ]);
      const { status, body } = await somebody.read(approval.invocationId);
      expect([options, status === 200 && 'arguments' in body]).toEqual([options, false]);
    }
    expect(await client.stateOf(id)).toBe('AUTH_REQUIRED');
    const stranger = await Approver.of(service, { tenant: 'elsewhere' });
    expect(await stranger.list()).toEqual([]);
    expect(verdictOf(await approver.decide(approval, 'deny'))).toBe('denied');
  });

  it('is of the very terms and arguments that were looked at', async () => {
    const { client } = await parties();
    const { approval } = await waiting(client);
    const other = await waiting(client);
    const { termsHash, argumentsDigest } = (await waiting((await parties()).client)).approval;
    expect(argumentsDigest).toBe(approval.argumentsDigest);
    for (const wrong of [{ termsHash }, { argumentsDigest: termsHash }]) {
      expect(verdictOf(await approver.decide(approval, 'approve', wrong))).toBe(
        'approval-mismatch',
      );
    }
    // One for each call, alike as they may be.
    expect(other.approval.invocationId).not.toBe(approval.invocationId);
    expect(verdictOf(await approver.decide(approval, 'approve'))).toBe('approved');
    await becomes(client, approval.taskId, 'COMPLETED');
    expect(await client.stateOf(other.id)).toBe('AUTH_REQUIRED');
  });

  it('serves once: the next call with the same arguments asks again', async () => {
    const { client } = await parties();
    const runs = counting();
    const { id, approval } = await waiting(client);
    await approver.decide(approval, 'approve');
    await becomes(client, id, 'COMPLETED');
    expect(verdictOf(await approver.decide(approval, 'approve'))).toBe('approved');
    expect(verdictOf(await approver.decide(approval, 'deny'))).toBe('approval-decided');
    const next = await waiting(client);
    expect(next.id).not.toBe(id);
    expect(runs()).toBe(1);
  });

  it('of terms that were superseded, or of a contract that ended, is void', async () => {
    for (const end of ['amended', 'cancelled'] as const) {
      const { partner, document, client } = await parties();
      const runs = counting();
      const { id, approval } = await waiting(client);
      if (end === 'cancelled') documentOf(await partner.cancel(document));
      else {
        const terms = { ...document.contract, allowedData: ['invoices', 'payroll'] };
        const revised = documentOf(await partner.revise(document, terms));
        expect(newest(documentOf(await finance.accept(revised))).revision).toBe(2);
      }
      await approver.decide(approval, 'approve');
      await becomes(client, id, 'REJECTED');
      expect((await client.ask('GetTask', { id })).text).toContain('approval-void');
      expect(runs()).toBe(0);
    }
  });

  it('expires with the contract, and then is neither given nor used', async () => {
    const { client } = await parties(ASKING, 900);
    const runs = counting();
    const { id, approval } = await waiting(client);
    await becomes(client, id, 'REJECTED');
    expect((await client.ask('GetTask', { id })).text).toContain('approval-expired');
    expect(verdictOf(await approver.decide(approval, 'approve'))).toMatch(
      /^approval-(expired|void)$/,
    );
    expect(runs()).toBe(0);
  });

  it('does not tell when the terms’ deadline is, and is of no use after it', async () => {
    const deadline = new Date(Date.now() + 1500).toISOString();
    const { client } = await parties({ ...ASKING, deadline });
    const runs = counting();
    const { id, approval } = await waiting(client);
    expect(approval['expiresAt']).not.toBe(deadline);
    await eventually(() => Promise.resolve(Date.now() > Date.parse(deadline)));
    await approver.decide(approval, 'approve');
    await becomes(client, id, 'REJECTED');
    expect(runs()).toBe(0);
    const log = JSON.stringify(await recordedIn(service.folder, 'events.db'));
    expect(log).not.toContain(deadline);
  });

  it('stands in the log with who gave it; what the call was sent with does not', async () => {
    const { client } = await parties();
    const { id, approval } = await waiting(client);
    await approver.decide(approval, 'approve', { reason: 'A-VERY-PRIVATE-REASON' });
    await becomes(client, id, 'COMPLETED');
    const stream = `invocation-${approval.invocationId}`;
    const eventsOf = async () =>
      (await recordedIn(service.folder, 'events.db')).filter((each) => each.stream === stream);
    await eventually(async () => (await eventsOf()).length === 4);
    const events = await eventsOf();
    expect(events.map(({ type }) => type)).toEqual([
      ...['approval-requested', 'approval-given', 'invocation-admitted', 'invocation-ended'],
    ]);
    const by = { principal: 'approver', tenant: HOST_TENANT };
    expect(events[1]?.data).toMatchObject({ by });
    expect(events[2]?.data).toMatchObject({ approval: { by }, rule: 'allowed-action' });
    expect(JSON.stringify(events)).not.toMatch(/INV-1|PRIVATE/);
  });

  it('is asked for by prose, of every call', async () => {
    const { client } = await parties({ humanApprovalRequirements: ['Whatever costs money'] });
    const { approval } = await waiting(client);
    const { body } = await approver.read(approval.invocationId);
    expect(body['entries']).toEqual(['Whatever costs money']);
  });

  it('is found by its state, in pages', async () => {
    for (const state of ['approved', 'denied', 'void', 'expired', 'pending']) {
      const listed = await approver.list(state);
      expect(listed.length).toBeGreaterThan(0);
      expect(new Set(listed.map((each) => each.state))).toEqual(new Set([state]));
      expect(new Set(listed.map((each) => each.invocationId)).size).toBe(listed.length);
    }
  });
});

function principalIn(caller: Json | undefined): Json | undefined {
  return (caller as JsonObject)['principal'];
}

/** An event of a stream in a word. */
function wordOf(response: JsonObject): string {
  const { task, statusUpdate, artifactUpdate } = response;
  if (artifactUpdate !== undefined) return 'artifact';
  return stateIn((task ?? statusUpdate) as JsonObject);
}
