import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Contract, FederatedInteraction } from '../../src/kernel/federated-interaction.js';
import { timestampOf } from '../../src/kernel/timestamp.js';
import { contractOf, documentOf, HOUR, inFuture, Negotiator } from '../e2e/support/negotiator.js';
import { startTestService, type Answer, type InProcessService } from '../support/service.js';

const PATH = '/v1/authorizations/explain';

const schema = {
  type: 'object',
  required: ['invoice'],
  additionalProperties: false,
  properties: { invoice: { type: 'string' } },
};
const skill = {
  name: 'Skill',
  description: 'Does something.',
  tags: ['x'],
  examples: ['do it'],
  inputModes: ['application/json'],
  outputModes: ['application/json'],
};
const manifest = {
  ...{ state: 'ga', tenants: '*', handler: 'none', owner: 'team', skill },
  ...{ visibility: 'extended', requires_scopes: ['recon.run'] },
};
const MANIFESTS = [
  {
    ...{ ...manifest, id: 'reconcile', requires_contract: true },
    ...{ action: 'reconcile', data: ['invoices'] },
    direct_invoke: {
      ...{ input_schema: schema, output_schema: {}, backend: { type: 'in-process' } },
      allow_unauthenticated: false,
    },
  },
  { ...manifest, id: 'chat' },
  { ...manifest, id: 'secret', visibility: 'internal' },
];

const TERMS: Partial<Contract> = {
  ...{ allowedActions: ['reconcile'], prohibitedActions: [] },
  ...{ allowedData: ['invoices'], humanApprovalRequirements: ['reconcile'] },
};

let service: InProcessService;
let finance: Negotiator;
let partner: Negotiator;
let document: FederatedInteraction;
let beforeContract: string;

const own = (who: Negotiator, scopes: readonly string[] = ['recon.run']) => ({
  ...{ ...who.runtimeToken, scopes },
});
const operator = (tenant = 'finance', scopes: readonly string[] = ['operator:explain']) => ({
  ...{ principal: 'operator', tenant, scopes },
});

async function explain(token: object, body: object): Promise<Answer> {
  const options = { token: await service.token(token), body: { agentId: 'finance', ...body } };
  return service.call('POST', PATH, options);
}

async function agree(terms: Partial<Contract>): Promise<FederatedInteraction> {
  const proposed = documentOf(
    await partner.propose(contractOf([partner, finance], terms), finance),
  );
  return documentOf(await finance.accept(proposed));
}

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-explain-'));
  await mkdir(join(folder, 'capabilities'));
  await writeFile(join(folder, 'capabilities', 'all.json'), JSON.stringify(MANIFESTS));
  const agent = { agentId: 'finance', tenant: 'finance', name: 'Finance', description: 'It.' };
  const agents = { agents: [{ ...agent, version: '1.0', capabilities: 'capabilities' }] };
  await writeFile(join(folder, 'agents.json'), JSON.stringify(agents));
  const env = { HOSTED_AGENTS: join(folder, 'agents.json'), TEXT_CLASSIFIER: 'words' };
  service = await startTestService({ folder, env });
  finance = await Negotiator.register(service, 'finance', { tenant: 'finance' });
  partner = await Negotiator.register(service, 'partner');
  beforeContract = timestampOf(Date.now());
  await pause(5);
  document = await agree({ ...TERMS, deadline: inFuture(HOUR / 2) });
});

afterAll(async () => {
  await service.dispose();
});

describe('POST /v1/authorizations/explain', () => {
  it('wants a token', async () => {
    const body = { agentId: 'finance', skillId: 'reconcile' };
    expect((await service.call('POST', PATH, { body })).status).toBe(401);
  });

  it('answers an agent about itself: terms, rule, approvals, arguments, streams', async () => {
    const body = { skillId: 'reconcile', arguments: { invoice: 'INV-1' } };
    const answer = await explain(own(partner), body);
    const { interactionId, termsHash, contract, expiresAt } = document;
    const terms = { interactionId, revision: 1, termsHash };
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      ...{ agentId: 'finance', skillId: 'reconcile', moment: expect.any(String) },
      ...{ decision: 'grant', rule: 'allowed-action', entry: null, terms, among: [] },
      approvals: ['reconcile'],
      inForce: [{ ...terms, expiresAt, deadline: contract.deadline }],
      inForceTotal: 1,
      arguments: { valid: true, errors: [] },
      replacement: null,
      basedOn: {
        'capability-finance/reconcile': 0,
        'agent-finance': 0,
        'agent-partner': 0,
        [`interaction-${interactionId}`]: 2,
      },
    });
  });

  it('tells what is wrong with arguments, by pointers', async () => {
    const body = { skillId: 'reconcile', arguments: { invoice: 7 } };
    const { arguments: judged } = (await explain(own(partner), body)).body;
    expect(judged).toMatchObject({ valid: false, errors: [{ pointer: '/invoice' }] });
    const { arguments: none } = (await explain(own(partner), { skillId: 'chat', arguments: {} }))
      .body;
    expect(none).toMatchObject({ valid: false, errors: [{ pointer: '' }] });
    expect((await explain(own(partner), { skillId: 'reconcile' })).body['arguments']).toBeNull();
  });

  it('tells why a call is refused, and by which entry of whose terms', async () => {
    const other = await agree({ ...TERMS, prohibitedActions: ['moving money'] });
    const { interactionId, termsHash } = other;
    const { body } = await explain(own(partner), { skillId: 'reconcile' });
    const terms = { interactionId, revision: 1, termsHash };
    const decided = { decision: 'refusal', rule: 'prohibition-unclear', entry: 'moving money' };
    expect(body).toMatchObject({ ...decided, terms, approvals: [], inForceTotal: 2 });
    documentOf(await partner.cancel(other));
    const later = await explain(own(partner), { skillId: 'reconcile' });
    expect(later.body).toMatchObject({ decision: 'grant', inForceTotal: 1 });
  });

  it('names two between which a message would have to choose', async () => {
    const other = await agree(TERMS);
    const { body } = await explain(own(partner), { skillId: 'reconcile' });
    expect(body).toMatchObject({ rule: 'contract-ambiguous', terms: null });
    const among = body['among'] as unknown as readonly { interactionId: string }[];
    const ids = [document.interactionId, other.interactionId];
    expect(among.map(({ interactionId }) => interactionId).sort()).toEqual([...ids].sort());
    const { interactionId } = other;
    const named = await explain(own(partner), { skillId: 'reconcile', interactionId });
    expect(named.body).toMatchObject({ decision: 'grant', terms: { interactionId } });
    documentOf(await partner.cancel(other));
    const ended = await explain(own(partner), { skillId: 'reconcile', interactionId });
    expect(ended.body).toMatchObject({ rule: 'contract-ended', inForceTotal: 1 });
  });

  it('answers about the past as it was', async () => {
    const body = { skillId: 'reconcile', at: beforeContract };
    const { body: past } = await explain(own(partner), body);
    const decided = { decision: 'refusal', rule: 'contract-required', inForce: [] };
    expect(past).toMatchObject({ ...decided, moment: beforeContract });
    const at = timestampOf(Date.now());
    const { body: now } = await explain(own(partner), { skillId: 'reconcile', at });
    expect(now).toMatchObject({ decision: 'grant', moment: at });
  });

  it('answers nothing about the future', async () => {
    const answer = await explain(own(partner), { skillId: 'chat', at: inFuture(HOUR) });
    expect([answer.status, answer.body['errors']]).toEqual([
      400,
      [{ pointer: '/at', detail: 'lies in the future' }],
    ]);
  });

  it('knows of no capability that did not exist then', async () => {
    const at = '2020-01-01T00:00:00Z';
    const answer = await explain(own(partner), { skillId: 'chat', at });
    expect([answer.status, answer.body['code']]).toEqual([404, 'capability-not-found']);
  });

  it('hides what the caller may not use, as if it were not, whoever asks', async () => {
    const { agentId: agent, tenant } = partner;
    const caller = { principal: 'p', tenant, agent, scopes: ['recon.run'] };
    const unknown = await explain(own(partner), { skillId: 'unknown' });
    const hidden = [
      await explain(own(partner), { skillId: 'secret' }),
      await explain(own(partner, []), { skillId: 'chat' }),
      await explain(operator(), { skillId: 'secret', caller }),
      await explain(operator(), { skillId: 'chat', caller: { ...caller, scopes: [] } }),
    ];
    const { correlationId: _, ...same } = unknown.body;
    expect(unknown.status).toBe(404);
    for (const { body } of hidden) expect(body).toMatchObject(same);
  });

  it('answers operators of the tenant about others', async () => {
    const { agentId: agent, tenant } = partner;
    const caller = { principal: 'p', tenant, agent, scopes: ['recon.run'] };
    const answer = await explain(operator(), { skillId: 'reconcile', caller });
    expect(answer.body).toMatchObject({ decision: 'grant', inForceTotal: 1 });
    const rival = { ...caller, tenant: 'rival' };
    const impostor = await explain(operator(), { skillId: 'reconcile', caller: rival });
    expect(impostor.body).toMatchObject({ rule: 'agent-not-acting', inForceTotal: 0 });
    expect(impostor.text).not.toContain('interaction-');
  });

  it('refuses to answer others about others, or operators about agents of other tenants', async () => {
    const caller = { principal: 'p', tenant: 'tenant-of-partner', scopes: ['recon.run'] };
    const body = { skillId: 'chat', caller };
    const plain = await explain(operator('finance', ['operator:read']), body);
    expect([plain.status, plain.body['code']]).toEqual([403, 'scope-missing']);
    const foreign = await explain(operator('rival'), body);
    expect([foreign.status, foreign.body['code']]).toEqual([404, 'agent-not-found']);
    const nowhere = await explain(operator(), { ...body, agentId: 'partner' });
    expect([nowhere.status, nowhere.body['code']]).toEqual([404, 'agent-not-found']);
  });

  it('tells whoever only claims to be an agent nothing of its contracts', async () => {
    const { interactionId } = document;
    const impostor = { ...own(partner), tenant: 'rival' };
    const answer = await explain(impostor, { skillId: 'reconcile', interactionId });
    const decided = { rule: 'agent-not-acting', terms: null, inForce: [], inForceTotal: 0 };
    expect(answer.body).toMatchObject(decided);
    expect(answer.text).not.toContain(interactionId);
  });

  it('answers a token without an agent that it needs one', async () => {
    const { body } = await explain(
      { tenant: 'x', scopes: ['recon.run'] },
      { skillId: 'reconcile' },
    );
    expect(body).toMatchObject({ rule: 'agent-required' });
    const free = await explain({ tenant: 'x', scopes: ['recon.run'] }, { skillId: 'chat' });
    expect(free.body).toMatchObject({ decision: 'grant', rule: 'entitlement', inForce: [] });
  });

  it.each([
    ['a terms hash without a contract', { termsHash: 'A'.repeat(43) }, '/interactionId'],
    ['an id that is none', { interactionId: 'x' }, '/interactionId'],
    ['a hash that is none', { termsHash: 'x' }, '/termsHash'],
    ['arguments that are a list', { arguments: [] }, '/arguments'],
    ['a moment that is none', { at: 'yesterday' }, '/at'],
    ['a skill that can be none', { skillId: 'a/b' }, '/skillId'],
    ['an unknown member', { bypass: true }, '/bypass'],
    ['a caller without tenant', { caller: { principal: 'p', scopes: [] } }, '/caller/tenant'],
    [
      'a scope with a space',
      { caller: { principal: 'p', tenant: 't', scopes: ['a b'] } },
      '/caller/scopes',
    ],
  ])('refuses %s', async (_, more, pointer) => {
    const answer = await explain(operator(), { skillId: 'chat', ...more });
    expect(answer.status).toBe(400);
    expect(answer.body['errors']).toMatchObject([{ pointer }]);
  });
});
