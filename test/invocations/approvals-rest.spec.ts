import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { agentStream } from '../../src/agents/domain/stream.js';
import type { Interaction } from '../../src/interactions/domain/interaction.js';
import { interactionStream } from '../../src/interactions/domain/stream.js';
import { InteractionHead } from '../../src/interactions/queries/interaction-head.js';
import { ApprovalLedger } from '../../src/invocations/commands/approval-ledger.js';
import type { ApprovalRequest } from '../../src/invocations/commands/invocation-ledger.js';
import { invocationStream } from '../../src/invocations/domain/stream.js';
import { ApprovalSubjects } from '../../src/invocations/queries/approval-subjects.js';
import type { Caller, Scope } from '../../src/kernel/caller.js';
import type { AgentId, Uuid } from '../../src/kernel/ids.js';
import type { Json, JsonObject } from '../../src/kernel/json.js';
import { timestampOf, type Timestamp } from '../../src/kernel/timestamp.js';
import { FINANCE } from '../capabilities/support/capabilities.js';
import { hostedAgent } from '../capabilities/support/capability-node.js';
import { operator, TENANT } from '../capabilities/support/given-when-then.js';
import { RestApp, type RestAnswer, type RestCall } from '../capabilities/support/rest-app.js';
import { agreed } from './support/agreements.js';
import { admissionOf, approvalRequest, ORIGIN } from './support/admissions.js';

const BASE = '/v1/approvals';
const SECOND = 'second-agent' as AgentId;
const FOREIGN = 'foreign-agent' as AgentId;
const PARTNER = 'partner-agent' as AgentId;

/** Somebody with a token for approvals of the hosted agents' tenant, unless told otherwise. */
function somebody(
  principal: string,
  changes: Partial<Caller> = {},
  granted: readonly Scope[] = ['approvals:decide'],
): Caller {
  const scopes = new Set(granted);
  return {
    principal,
    client: 'console',
    agent: null,
    tenant: TENANT,
    scopes,
    allScopes: scopes,
    ...changes,
  };
}

const approver = somebody('approver');
const partnerOwner = somebody('partner-owner', { tenant: 'partner' }, [
  'agents:write',
  'approvals:decide',
]);
const partnerCaller: Caller = {
  ...somebody(
    'partner-runtime',
    { client: 'partner-client', agent: PARTNER, tenant: 'partner' },
    [],
  ),
  allScopes: new Set(['recon.run']),
};

/** Tasks keep what calls were sent with. */
class Kept extends ApprovalSubjects {
  readonly subjects = new Map<Uuid, Json>();

  async of(taskId: Uuid): Promise<Json | undefined> {
    return Promise.resolve(this.subjects.get(taskId));
  }
}

/** The other context: the contract under which every call of these tests waits. */
@QueryHandler(InteractionHead)
class Contracts implements IQueryHandler<InteractionHead> {
  static readonly standing: Interaction = {
    ...agreed({
      ...{ name: 'ours', initiator: PARTNER, responder: FINANCE, amended: {} },
      expiresAt: '2031-01-01T00:00:00.000Z' as Timestamp,
    }),
    interactionId: approvalRequest().terms.interactionId,
  };
  static head: Interaction | undefined = Contracts.standing;

  async execute(): Promise<Interaction | undefined> {
    return Promise.resolve(Contracts.head);
  }
}

const kept = new Kept();
let app: RestApp;

beforeAll(async () => {
  const hosted = [
    hostedAgent(FINANCE),
    hostedAgent(SECOND),
    hostedAgent(FOREIGN, { tenant: 'rival' }),
  ];
  app = await RestApp.start({ hosted }, [{ provide: ApprovalSubjects, useValue: kept }, Contracts]);
  const registered = await app.call('POST', '/v1/agents', {
    by: partnerOwner,
    body: { agentId: PARTNER, clients: ['partner-client'], hosted: true },
  });
  if (registered.status !== 201) throw new Error(JSON.stringify(registered.body));
});

afterAll(async () => {
  await app.dispose();
});

const ON_CONTRACT = {
  [interactionStream(Contracts.standing.interactionId)]: Contracts.standing.version - 1,
};

const ledger = (): ApprovalLedger => app.get(ApprovalLedger);
const codeOf = ({ status, body }: RestAnswer): unknown =>
  status === 200 ? body['state'] : [status, body['code']];
const read = (id: string, by = approver): Promise<RestAnswer> =>
  app.call('GET', `${BASE}/${id}`, { by });

async function requested(changes: Partial<ApprovalRequest> = {}): Promise<ApprovalRequest> {
  const expiresAt = app.node.now + 60_000;
  const request = approvalRequest({ caller: partnerCaller, expiresAt, ...changes });
  const recorded = await ledger().request(request, ORIGIN);
  if (!recorded.ok) throw new Error(recorded.error.code);
  return request;
}

function decide(
  { invocationId, terms, argumentsDigest }: ApprovalRequest,
  decision: string,
  call: RestCall & { readonly changes?: JsonObject } = {},
): Promise<RestAnswer> {
  const { changes, ...more } = call;
  const body = { decision, termsHash: terms.termsHash, argumentsDigest, ...changes };
  return app.call('POST', `${BASE}/${invocationId}/decision`, { by: approver, body, ...more });
}

const eventsOf = ({ invocationId }: ApprovalRequest) =>
  app.node.store.readStream(invocationStream(invocationId));

describe('an approval', () => {
  it('shows what the call is, and what it was sent with', async () => {
    const request = await requested();
    kept.subjects.set(request.taskId, { invoice: 'F-17' });
    const { status, body } = await read(request.invocationId);
    expect(status).toBe(200);
    expect(body).toEqual({
      invocationId: request.invocationId,
      agentId: FINANCE,
      skillId: request.skillId,
      caller: {
        principal: 'partner-runtime',
        client: 'partner-client',
        agent: PARTNER,
        tenant: 'partner',
      },
      ...request.terms,
      action: 'reconcile',
      data: ['invoices'],
      entries: ['reconcile'],
      argumentsDigest: request.argumentsDigest,
      taskId: request.taskId,
      requestedAt: timestampOf(app.node.now),
      expiresAt: timestampOf(request.expiresAt),
      state: 'pending',
      decidedBy: null,
      decidedAt: null,
      usedAt: null,
      reason: null,
      arguments: { invoice: 'F-17' },
    });
  });

  it('shows what the call was sent with to nobody who may not decide on it now', async () => {
    const request = await requested();
    kept.subjects.set(request.taskId, { secret: 1 });
    const supervisor = somebody('supervisor', {}, ['operator:read']);
    const ownersFriend = somebody('friend', { client: 'partner-client' });
    const owner = somebody('partner-owner');
    for (const by of [supervisor, ownersFriend, owner]) {
      const { status, body } = await read(request.invocationId, by);
      expect([status, body['state'], 'arguments' in body]).toEqual([200, 'pending', false]);
    }
    expect((await read(request.invocationId)).body).toHaveProperty('arguments');
    expect((await decide(request, 'deny')).body).not.toHaveProperty('arguments');
    expect((await read(request.invocationId)).body).not.toHaveProperty('arguments');
  });

  it('does not exist for other tenants, nor under what is no id of one', async () => {
    const request = await requested();
    const absent = [404, 'approval-not-found'];
    const admitted = approvalRequest();
    await app.ledger.admit(admissionOf(admitted), ORIGIN);
    const strangers = [partnerOwner, somebody('rival', { tenant: 'rival' })];
    for (const by of strangers) {
      expect(codeOf(await read(request.invocationId, by))).toEqual(absent);
      expect(codeOf(await decide(request, 'approve', { by }))).toEqual(absent);
    }
    for (const id of [admitted.invocationId, randomUUID(), 'no-uuid', '%00']) {
      expect(codeOf(await read(id))).toEqual(absent);
    }
    const foreign = await requested({ agentId: FOREIGN });
    expect(codeOf(await read(foreign.invocationId))).toEqual(absent);
    expect(codeOf(await decide(foreign, 'approve'))).toEqual(absent);
    expect((await eventsOf(foreign)).map(({ type }) => type)).toEqual(['approval-requested']);
  });

  it('has no texts once they are erased, whoever has read them before', async () => {
    const request = await requested();
    await decide(request, 'deny', { changes: { reason: 'No.' } });
    const before = (await read(request.invocationId)).body;
    expect(before).toMatchObject({ entries: ['reconcile'], reason: 'No.' });
    await app.node.keys.destroy(invocationStream(request.invocationId));
    const { body } = await read(request.invocationId);
    expect(body).toEqual({ ...before, entries: null, reason: null });
  });

  it('has none either where the log says that its contract is erased, whatever its key', async () => {
    const request = await requested();
    await decide(request, 'deny', { changes: { reason: 'No.' } });
    const before = (await read(request.invocationId)).body;
    const at = '2030-01-01T00:00:00.000Z' as Timestamp;
    Contracts.head = { ...Contracts.standing, erasure: { ground: 'retention', at } };
    const { body } = await read(request.invocationId);
    Contracts.head = Contracts.standing;
    expect(body).toEqual({ ...before, entries: null, reason: null });
  });

  it('needs a scope to be seen, and one to be decided', async () => {
    const request = await requested();
    const refused = [403, 'scope-missing'];
    expect(codeOf(await read(request.invocationId, operator()))).toEqual(refused);
    const supervisor = somebody('supervisor', {}, ['operator:read']);
    expect(codeOf(await decide(request, 'approve', { by: supervisor }))).toEqual(refused);
    expect((await app.call('GET', BASE, { by: operator() })).status).toBe(403);
    expect((await app.call('GET', BASE)).status).toBe(401);
  });
});

describe('a decision', () => {
  it('is recorded with who made it, what it saw, and what it rests on; its reason is sealed', async () => {
    const request = await requested();
    const answer = await decide(request, 'approve', { changes: { reason: 'Known supplier.' } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('position-token')).toMatch(/^\d{20,40}$/);
    const { principal, client, agent, tenant } = approver;
    const by = { principal, client, agent, tenant };
    expect(answer.body).toMatchObject({
      state: 'approved',
      decidedBy: by,
      decidedAt: timestampOf(app.node.now),
      reason: 'Known supplier.',
    });
    const [, event] = await eventsOf(request);
    const { invocationId, terms, argumentsDigest } = request;
    expect(event).toMatchObject({
      type: 'approval-given',
      data: { invocationId, by, termsHash: terms.termsHash, argumentsDigest },
      metadata: { actor: { principal, agent, tenant }, basedOn: { [agentStream(PARTNER)]: 0 } },
    });
    expect(JSON.stringify(event)).not.toContain('supplier');
  });

  it('is told at once within the process', async () => {
    const heard: string[] = [];
    const stop = ledger().onDecided((id) => heard.push(id));
    const request = await requested();
    expect(codeOf(await decide(request, 'approve', { by: partnerOwner }))).toEqual([
      404,
      'approval-not-found',
    ]);
    expect(heard).toEqual([]);
    await decide(request, 'approve');
    stop();
    expect(heard).toEqual([request.invocationId]);
  });

  it.each<[string, Caller]>([
    ['the principal that called', somebody('partner-runtime')],
    ['the owner of the calling agent', somebody('partner-owner')],
    ['an OAuth client of the calling agent', somebody('anybody', { client: 'partner-client' })],
    ['a token that speaks for the calling agent', somebody('anybody', { agent: PARTNER })],
  ])('is not made by %s', async (_, by) => {
    const request = await requested();
    for (const decision of ['approve', 'deny']) {
      expect(codeOf(await decide(request, decision, { by }))).toEqual([403, 'approver-involved']);
    }
    expect((await eventsOf(request)).length).toBe(1);
  });

  it('is not made by the OAuth client that called, be it registered with the agent or not', async () => {
    const request = await requested({ caller: { ...partnerCaller, client: 'console' } });
    expect(codeOf(await decide(request, 'approve'))).toEqual([403, 'approver-involved']);
    const by = somebody('approver', { client: 'another-console' });
    expect(codeOf(await decide(request, 'approve', { by }))).toBe('approved');
  });

  it('may be made with the hosted agent’s own token', async () => {
    const by = somebody('finance-runtime', { agent: FINANCE });
    expect(codeOf(await decide(await requested(), 'approve', { by }))).toBe('approved');
  });

  it('counts who is a client of the calling agent by then', async () => {
    const agent = 'changing-agent' as AgentId;
    const call = { by: partnerOwner, body: { agentId: agent, clients: [], hosted: true } };
    await app.call('POST', '/v1/agents', call);
    const request = await requested({ caller: { ...partnerCaller, client: null, agent } });
    const by = somebody('late', { client: 'late-client' });
    const changed = await app.call('PUT', `/v1/agents/${agent}/clients`, {
      by: partnerOwner,
      body: { change: 'change-clients', clients: ['late-client'], expectedRevision: 0 },
    });
    expect(changed.status).toBe(200);
    expect(codeOf(await decide(request, 'approve', { by }))).toEqual([403, 'approver-involved']);
    expect(codeOf(await decide(request, 'approve'))).toBe('approved');
    expect((await eventsOf(request)).at(-1)!.metadata.basedOn).toEqual({
      [agentStream(agent)]: 1,
      ...ON_CONTRACT,
    });
  });

  it('counts who was a client of the calling agent, or owned it, when it called', async () => {
    const agent = 'changed-agent' as AgentId;
    const clients = ['former-client'];
    const call = { by: partnerOwner, body: { agentId: agent, clients, hosted: true } };
    await app.call('POST', '/v1/agents', call);
    const request = await requested({ caller: { ...partnerCaller, client: null, agent } });
    app.node.now += 1000;
    const changed = await app.call('PUT', `/v1/agents/${agent}/clients`, {
      by: partnerOwner,
      body: { change: 'change-clients', clients: [], expectedRevision: 0 },
    });
    expect(changed.status).toBe(200);
    for (const by of [
      somebody('late', { client: 'former-client' }),
      somebody('former-client', { client: null }),
    ]) {
      expect(codeOf(await decide(request, 'approve', { by }))).toEqual([403, 'approver-involved']);
    }
    expect(codeOf(await decide(request, 'approve'))).toBe('approved');
  });

  it('goes by the log, and not by clocks, in what the calling agent was when it called', async () => {
    const agent = 'hasty-agent' as AgentId;
    const AHEAD_MS = 20_000;
    const register = { agentId: agent, clients: [], hosted: true };
    await app.call('POST', '/v1/agents', { by: partnerOwner, body: register });
    const change = async (clients: readonly string[], expectedRevision: number): Promise<void> => {
      const body = { change: 'change-clients', clients, expectedRevision };
      const path = `/v1/agents/${agent}/clients`;
      expect((await app.call('PUT', path, { by: partnerOwner, body })).status).toBe(200);
    };
    // Its clock is ahead, of the node that takes the change.
    app.node.now += AHEAD_MS;
    await change(['former-client'], 0);
    app.node.now -= AHEAD_MS;
    const request = await requested({ caller: { ...partnerCaller, agent } });
    app.node.now += AHEAD_MS;
    await change([], 1);
    app.node.now -= AHEAD_MS;

    const by = somebody('somebody', { client: 'former-client' });
    expect(codeOf(await decide(request, 'approve', { by }))).toEqual([403, 'approver-involved']);
    expect(codeOf(await decide(request, 'approve'))).toBe('approved');
    // Nothing is dated before what it rests on.
    const [newest] = (await app.node.store.readStream(agentStream(agent))).slice(-1);
    expect((await eventsOf(request)).at(-1)?.recordedAt).toBe(newest?.recordedAt);
    app.node.now += AHEAD_MS;
  });

  it('is void, and that is told at once, where the terms govern no more', async () => {
    const { standing } = Contracts;
    const heard: string[] = [];
    const stop = ledger().onDecided((id) => heard.push(id));
    const over: readonly (Interaction | undefined)[] = [
      { ...standing, inForce: 1 },
      { ...standing, status: 'cancelled' },
      { ...standing, status: 'completed' },
      { ...standing, expiresAt: timestampOf(app.node.now) },
      undefined,
    ];
    for (const head of over) {
      const request = await requested();
      Contracts.head = head;
      for (const decision of ['approve', 'deny']) {
        expect(codeOf(await decide(request, decision))).toEqual([409, 'approval-void']);
      }
      Contracts.head = standing;
      expect(heard.splice(0)).toEqual([request.invocationId, request.invocationId]);
      expect((await eventsOf(request)).length).toBe(1);
    }
    stop();
  });

  it('is nobody’s while the calling agent is not registered', async () => {
    const caller = { ...partnerCaller, agent: 'unknown-agent' as AgentId };
    const request = await requested({ caller });
    expect(codeOf(await decide(request, 'approve'))).toEqual([403, 'approver-involved']);
  });

  it('is for what its maker saw', async () => {
    const request = await requested();
    const mismatch = [409, 'approval-mismatch'];
    const other = 'o'.repeat(42).concat('A');
    for (const changes of [{ termsHash: other }, { argumentsDigest: other }]) {
      expect(codeOf(await decide(request, 'approve', { changes }))).toEqual(mismatch);
    }
  });

  it.each<[string, JsonObject]>([
    ['another word', { decision: 'yes' }],
    ['no hash', { termsHash: 'x' }],
    ['no digest', { argumentsDigest: 1 }],
    ['a long reason', { reason: 'x'.repeat(2001) }],
    ['an unknown member', { by: 'me' }],
  ])('with %s is none', async (_, changes) => {
    const request = await requested();
    const answer = await decide(request, 'approve', { changes });
    expect(codeOf(answer)).toEqual([400, 'request-invalid']);
    expect((await eventsOf(request)).length).toBe(1);
  });

  it('is final: the same again changes nothing, another is refused', async () => {
    const request = await requested();
    expect(codeOf(await decide(request, 'deny'))).toBe('denied');
    const again = await decide(request, 'deny');
    expect([codeOf(again), again.headers.get('idempotency-replayed')]).toEqual(['denied', 'true']);
    const other = somebody('another-approver');
    expect((await decide(request, 'deny', { by: other })).body).toMatchObject({
      state: 'denied',
      decidedBy: { principal: 'approver' },
    });
    expect(codeOf(await decide(request, 'approve', { by: other }))).toEqual([
      409,
      'approval-decided',
    ]);
    expect((await eventsOf(request)).length).toBe(2);
  });

  it('is retried under its key, which serves no other', async () => {
    const request = await requested();
    const headers = { 'idempotency-key': randomUUID() };
    expect(codeOf(await decide(request, 'approve', { headers }))).toBe('approved');
    const retried = await decide(request, 'approve', { headers });
    expect(retried.headers.get('idempotency-replayed')).toBe('true');
    const changed = await decide(request, 'approve', { headers, changes: { reason: 'Other.' } });
    expect(codeOf(changed)).toEqual([422, 'idempotency-key-reused']);
  });

  it('is one, when two decide at once', async () => {
    for (let round = 0; round < 10; round++) {
      const request = await requested();
      const answers = await Promise.all([
        decide(request, 'approve'),
        decide(request, 'deny', { by: somebody('another-approver') }),
      ]);
      const [winner] = answers.filter(({ status }) => status === 200);
      const [loser] = answers.filter(({ status }) => status !== 200);
      expect(['approved', 'denied']).toContain(winner!.body['state']);
      expect(codeOf(loser!)).toEqual([409, 'approval-decided']);
      expect((await eventsOf(request)).length).toBe(2);
    }
  });

  it('comes too late after the expiry, and after the end of the call', async () => {
    const [expired, canceled] = [await requested(), await requested()];
    await app.ledger.end(canceled.invocationId, 'canceled', ORIGIN);
    expect(codeOf(await decide(canceled, 'approve'))).toEqual([409, 'approval-void']);
    app.node.now += 60_000;
    expect(codeOf(await decide(expired, 'approve'))).toEqual([409, 'approval-expired']);
    expect(codeOf(await read(expired.invocationId))).toBe('expired');
    expect(codeOf(await read(canceled.invocationId))).toBe('void');
  });

  it('serves one admission, under the very terms that were approved', async () => {
    const request = await requested();
    await decide(request, 'approve');
    const superseded = { ...request.terms, termsHash: 'S'.repeat(42).concat('A') as never };
    const admit = async (terms = request.terms): Promise<string> => {
      const admitted = await app.ledger.admit(admissionOf(request, { terms }), ORIGIN);
      return admitted.ok ? 'ok' : admitted.error.code;
    };
    expect(await admit(superseded)).toBe('approval-required');
    expect(await admit()).toBe('ok');
    expect(await admit()).toBe('contention');
    expect((await read(request.invocationId)).body).toMatchObject({
      state: 'approved',
      usedAt: timestampOf(app.node.now),
    });
  });
});

describe('the list', () => {
  const list = async (query = '', by = approver): Promise<readonly JsonObject[]> => {
    const headers = { 'position-token': await app.node.store.head() };
    const { status, body } = await app.call('GET', `${BASE}${query}`, { by, headers });
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body['items'] as readonly JsonObject[];
  };
  const idsOf = (items: readonly JsonObject[]): unknown =>
    items.map((item) => item['invocationId']);

  it('is of what is pending for the hosted agents of the tenant, the oldest first', async () => {
    app.node.now += 60_000;
    const own = [await requested(), await requested({ agentId: SECOND }), await requested()];
    const foreign = await requested({ agentId: FOREIGN });
    const ids = own.map(({ invocationId }) => invocationId);
    expect(idsOf(await list())).toEqual(ids);
    expect(idsOf(await list(`?agentId=${SECOND}`))).toEqual([ids[1]]);
    expect(await list(`?agentId=${FOREIGN}`)).toEqual([]);
    expect(idsOf(await list('', somebody('rival', { tenant: 'rival' })))).toEqual([
      foreign.invocationId,
    ]);
    expect(await list('', partnerOwner)).toEqual([]);
  });

  it('shows what the one shows, without texts', async () => {
    const request = await requested();
    await decide(request, 'deny', { changes: { reason: 'No.' } });
    const item = (await list('?state=denied')).at(-1)!;
    const { body } = await read(request.invocationId);
    const { entries: _entries, reason: _reason, ...rest } = body;
    expect(item).toEqual({ ...rest, reliable: true });
  });

  it('is of the state that is asked for, and tells it as the one does', async () => {
    const [approved, used, denied, voided, expired] = [
      await requested(),
      await requested(),
      await requested(),
      await requested(),
      await requested({ expiresAt: app.node.now + 1 }),
    ] as const;
    for (const each of [approved, used]) await decide(each, 'approve');
    await decide(denied, 'deny');
    await app.ledger.admit(admissionOf(used), ORIGIN);
    await app.ledger.end(voided.invocationId, 'canceled', ORIGIN);
    app.node.now += 10;
    const states = { approved, denied, expired, void: voided };
    for (const [state, { invocationId }] of Object.entries(states)) {
      const items = await list(`?state=${state}&limit=100`);
      expect(idsOf(items)).toContain(invocationId);
      for (const item of items) {
        const { body } = await read(String(item['invocationId']));
        expect([item['state'], body['state']]).toEqual([state, state]);
      }
    }
    expect(idsOf(await list('?state=approved&limit=100'))).toContain(used.invocationId);
  });

  it('pages, and its cursors serve no other list', async () => {
    app.node.now += 60_000;
    const ids: unknown[] = [];
    for (let i = 0; i < 5; i++) ids.push((await requested()).invocationId);
    await list();
    const found: unknown[] = [];
    let next: Json = null;
    do {
      const cursor: string = next === null ? '' : `&cursor=${String(next)}`;
      const { body } = await app.call('GET', `${BASE}?limit=2${cursor}`, { by: approver });
      found.push(...(body['items'] as JsonObject[]).map((item) => item['invocationId']));
      next = body['nextCursor']!;
      if (found.length === 2) {
        const elsewhere = `${BASE}?state=denied&cursor=${String(next)}`;
        const answer = await app.call('GET', elsewhere, { by: approver });
        expect(codeOf(answer)).toEqual([400, 'cursor-invalid']);
      }
    } while (next !== null);
    expect(found).toEqual(ids);
  });

  it.each(['state=open', 'agentId=%20', 'limit=0', 'other=1'])(
    'does not take %s',
    async (query) => {
      const answer = await app.call('GET', `${BASE}?${query}`, { by: approver });
      expect(codeOf(answer)).toEqual([400, 'request-invalid']);
    },
  );
});
