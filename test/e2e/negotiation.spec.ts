import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FederatedInteraction } from '../../src/kernel/federated-interaction.js';
import { testKey } from '../agents/support/agents.js';
import { RestAgent } from '../agents/support/rest-agent.js';
import { eventually } from '../support/eventually.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { emitted, eventTypes, refused, verdictOn } from './support/expectations.js';
import {
  contractOf,
  headOf,
  HOUR,
  inFuture,
  Negotiator,
  newest,
  pathOf,
} from './support/negotiator.js';

let service: InProcessService;
let alpha: Negotiator;
let beta: Negotiator;
let gamma: Negotiator;

beforeAll(async () => {
  service = await startTestService();
  alpha = await Negotiator.register(service, 'alpha');
  beta = await Negotiator.register(service, 'beta');
  gamma = await Negotiator.register(service, 'gamma');
});

afterAll(async () => {
  await service.dispose();
});

const proposed = async (): Promise<FederatedInteraction> =>
  emitted(await alpha.propose(contractOf([alpha, beta]), beta), 201);

const active = async (): Promise<FederatedInteraction> =>
  emitted(await beta.accept(await proposed()), 201);

const changed = (document: FederatedInteraction, retentionDays: number) => ({
  ...newest(document).contract,
  retentionDays,
});

describe('two parties', () => {
  it('propose, counter, accept, amend, accept, complete: and anyone can verify it', async () => {
    const first = await proposed();
    expect(first).toMatchObject({ status: 'pending', contractRevision: 1 });

    const countered = emitted(await beta.revise(first, changed(first, 14)), 201);
    expect(countered.contractRevisions.map(({ status }) => status)).toEqual([
      'superseded',
      'proposed',
    ]);
    expect(newest(countered).previousTermsHash).toBe(first.termsHash);
    expect(Object.keys(countered.acceptances)).toEqual(['beta']);

    const agreed = emitted(await alpha.accept(countered), 201);
    expect(agreed).toMatchObject({ status: 'active', contractRevision: 2 });
    expect(newest(agreed).platformAttestation?.algorithm).toBe('Ed25519');
    expect(await verdictOn(agreed, alpha)).toBe('verified');

    const amending = emitted(await alpha.revise(agreed, changed(agreed, 7)), 201);
    expect(amending).toMatchObject({ status: 'active', contractRevision: 2 });
    const amended = emitted(await beta.accept(amending), 201);
    expect(amended).toMatchObject({ status: 'active', contractRevision: 3 });

    const reported = emitted(await beta.complete(amended), 200);
    expect(reported.status).toBe('active');
    const completed = emitted(await alpha.complete(reported), 200);
    expect(completed.status).toBe('completed');
    // An accepted revision never changes afterwards.
    expect(completed.contractRevisions[1]).toEqual(agreed.contractRevisions[1]);
    expect(await verdictOn(completed, beta)).toBe('verified');
    expect(await eventTypes(completed, alpha)).toEqual([
      'interaction-proposed',
      'revision-proposed',
      'revision-accepted',
      'revision-attested',
      'revision-proposed',
      'revision-accepted',
      'revision-attested',
      'outcome-reported',
      'outcome-reported',
      'interaction-completed',
    ]);
  });

  it('tell where each thing is that a command created', async () => {
    const answer = await alpha.propose(contractOf([alpha, beta]), beta);
    const document = emitted(answer, 201);
    expect(answer.headers.get('location')).toBe(pathOf(document));
    const revised = await beta.revise(document, changed(document, 1));
    expect(revised.headers.get('location')).toBe(`${pathOf(document)}/revisions/2`);
    const accepted = await alpha.accept(emitted(revised, 201));
    expect(accepted.headers.get('location')).toBe(`${pathOf(document)}/acceptances`);
    for (const { headers } of [answer, revised, accepted]) {
      expect(headers.get('etag')).toMatch(/^"\d+\.[a-z]+\.\d+\.[a-z]+\.[\w-]{43}"$/);
      expect(headers.get('position-token')).toMatch(/^\d{20,40}$/);
      expect(headers.get('idempotency-replayed')).toBeNull();
    }
  });

  it('end by rejection, withdrawal or cancellation, with the reason in the status', async () => {
    const rejected = emitted(await beta.reject(await proposed(), 'too dear'), 200);
    expect(rejected.status).toBe('rejected');
    expect((await alpha.get(`${pathOf(rejected)}/status`)).body).toMatchObject({
      status: 'rejected',
      since: rejected.updatedAt,
      waitingOn: [],
      nextDeadline: null,
      lastRejection: { revision: 1, byAgentId: 'beta', kind: 'rejected', reason: 'too dear' },
    });

    const withdrawn = emitted(await alpha.withdraw(await proposed()), 200);
    expect(withdrawn.status).toBe('cancelled');
    expect((await alpha.get(`${pathOf(withdrawn)}/status`)).body['lastRejection']).toMatchObject({
      kind: 'withdrawn',
      reason: null,
    });

    const cancelled = emitted(await beta.cancel(await proposed(), 'no longer needed'), 200);
    expect(cancelled.status).toBe('cancelled');
    expect(emitted(await alpha.cancel(await active()), 200).status).toBe('cancelled');
  });

  it('stay on the terms in force when an amendment is rejected or withdrawn', async () => {
    const agreed = await active();
    const offered = emitted(await alpha.revise(agreed, changed(agreed, 3)), 201);
    const kept = emitted(await beta.reject(offered), 200);
    expect(kept).toMatchObject({ status: 'active', termsHash: agreed.termsHash });
    const again = emitted(await beta.revise(kept, changed(agreed, 4)), 201);
    const stillKept = emitted(await beta.withdraw(again), 200);
    expect(stillKept).toMatchObject({ status: 'active', contractRevision: 1 });
    expect(await verdictOn(stillKept, alpha)).toBe('verified');
  });

  it('cannot be one: whoever counters does not accept its own counter (case 8)', async () => {
    const first = await proposed();
    const countered = emitted(await beta.revise(first, changed(first, 2)), 201);
    refused(await beta.accept(countered), 409, 'already-accepted');
    expect((await alpha.get(pathOf(first))).body['status']).toBe('pending');
  });

  it('do not carry acceptances over to an amendment (case 7)', async () => {
    const agreed = await active();
    const amendment = alpha.revision(agreed, changed(agreed, 5));
    const withMembers = { ...amendment, acceptances: agreed.acceptances };
    const path = `${pathOf(agreed)}/revisions`;
    const answer = refused(await alpha.post(path, withMembers), 400, 'request-invalid');
    expect(answer.body['errors']).toEqual([
      { pointer: '/acceptances', detail: 'is not a documented member' },
    ]);
    const { acceptedAt, signature } = agreed.acceptances['alpha'] ?? {};
    const old = { keyId: signature?.keyId, value: signature?.value, acceptedAt };
    refused(await alpha.post(path, { ...amendment, acceptance: old }), 422, 'signature-invalid');
    expect((await alpha.get(pathOf(agreed))).body).toEqual(agreed);
  });

  it('recompute the hash that a client sends (case 10)', async () => {
    const terms = contractOf([alpha, beta]);
    const other = alpha.proposal({ ...terms, retentionDays: 1 }, beta);
    refused(
      await alpha.post('/v1/interactions', { ...other, contract: terms }),
      422,
      'terms-hash-mismatch',
    );
    refused(
      await alpha.post('/v1/interactions', { ...other, contract: terms, termsHash: undefined }),
      422,
      'signature-invalid',
    );
    refused(await alpha.get(pathOf(terms)), 404, 'interaction-not-found');
  });
});

describe('more than two parties', () => {
  it('become active with the last of three acceptances, and no other agent’s (case 9)', async () => {
    const delta = await Negotiator.register(service, 'delta');
    const terms = contractOf([alpha, beta, gamma]);
    const pending = emitted(await alpha.propose(terms, beta), 201);
    const second = emitted(await beta.accept(pending), 201);
    expect(second.status).toBe('pending');
    refused(await alpha.accept(second), 409, 'already-accepted');
    refused(await delta.accept(second), 404, 'interaction-not-found');
    const third = emitted(await gamma.accept(second), 201);
    expect(third.status).toBe('active');
    expect(Object.keys(third.acceptances)).toEqual(['alpha', 'beta', 'gamma']);
    expect(await verdictOn(third, gamma)).toBe('verified');
  });

  it('accept all at once, sixteen of them, and fifteen in one instant all win', async () => {
    const many = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        Negotiator.register(service, `party-${String(index)}`),
      ),
    );
    const [first, second, ...rest] = many as [Negotiator, Negotiator, ...Negotiator[]];
    const pending = emitted(await first.propose(contractOf(many), second), 201);
    const answers = await Promise.all([second, ...rest].map((party) => party.accept(pending)));
    const documents = answers.map((answer) => emitted(answer, 201));
    expect(documents.filter(({ status }) => status === 'active')).toHaveLength(1);
    const end = emitted(await first.get(pathOf(pending)), 200);
    expect(end.status).toBe('active');
    expect(new Set(Object.keys(end.acceptances))).toEqual(new Set(end.contract.parties));
    expect(await verdictOn(end, first)).toBe('verified');

    const seventeen = contractOf([...many, alpha]);
    refused(await first.propose(seventeen, second), 422, 'parties-invalid');
    refused(await alpha.propose(contractOf([alpha]), alpha), 422, 'parties-invalid');
  });
});

describe('the acceptance method', () => {
  let keyless: Negotiator;

  beforeAll(async () => {
    keyless = await Negotiator.register(service, 'keyless', { key: null });
  });

  it('is oauth_installation for a token of a client, oauth_account for the owner’s', async () => {
    const terms = contractOf([alpha, keyless]);
    const byClient = emitted(
      await keyless.accept(emitted(await alpha.propose(terms, keyless), 201)),
      201,
    );
    expect(byClient.acceptances['keyless']).toEqual({
      agentId: 'keyless',
      method: 'oauth_installation',
      termsHash: byClient.termsHash,
      acceptedAt: newest(byClient).updatedAt,
    });
    expect(await verdictOn(byClient, alpha)).toBe('not-checkable');

    const pending = emitted(await alpha.propose(contractOf([alpha, keyless]), keyless), 201);
    const byOwner = emitted(await keyless.accept(pending, { token: keyless.ownerToken }), 201);
    expect(byOwner.acceptances['keyless']?.method).toBe('oauth_account');
    expect(byOwner.status).toBe('active');
  });

  it('is never told by the body', async () => {
    const pending = emitted(await alpha.propose(contractOf([alpha, keyless]), keyless), 201);
    const body = { ...keyless.consent(pending), method: 'ed25519' };
    refused(await keyless.post(`${pathOf(pending)}/acceptances`, body), 400, 'request-invalid');
  });

  it('is policy_auto_accept when the owner’s policy covers the terms, and only then', async () => {
    const name = 'trusting';
    const trusting = await Negotiator.register(service, name, { key: testKey('trusting-1', 99) });
    const { key, owner, tenant } = trusting;
    if (key === null) throw new Error('it has a key');
    const token = { principal: owner, tenant, scopes: ['agents:write'] as const };
    const agent = new RestAgent(service, name);
    const methods = {
      change: 'change-methods',
      expectedRevision: 0,
      methods: ['ed25519', 'policy_auto_accept'],
    };
    expect((await agent.change('PUT', '/methods', methods, key, token)).status).toBe(200);
    const policy = {
      taskCategories: ['translation'],
      allowedActions: ['translate'],
      maxRetentionDays: 30,
    };
    const change = { change: 'change-policy', expectedRevision: 1, policy };
    expect((await agent.change('PUT', '/policy', change, key, token)).status).toBe(200);
    // A policy counts for what is proposed after it.
    await new Promise((resolve) => setTimeout(resolve, 5));

    const covered = emitted(await alpha.propose(contractOf([alpha, trusting]), trusting), 201);
    const tooLong = contractOf([alpha, trusting], { retentionDays: 31 });
    const doubtful = emitted(await alpha.propose(tooLong, trusting), 201);
    await eventually(async () => (await alpha.get(pathOf(covered))).body['status'] === 'active');
    const document = emitted(await alpha.get(pathOf(covered)), 200);
    expect(document.acceptances['trusting']?.method).toBe('policy_auto_accept');
    expect(await verdictOn(document, alpha)).toBe('not-checkable');
    expect((await alpha.get(pathOf(doubtful))).body['status']).toBe('pending');
  });
});

describe('a stolen token', () => {
  it('changes nothing without the key', async () => {
    const thief = { token: beta.ownerToken };
    const bodies = (document: FederatedInteraction): [string, object][] => [
      ['acceptances', beta.consent(document)],
      ['revisions', beta.revision(document, changed(document, 9))],
      ['rejections', beta.rejection(document)],
      ['cancellation', beta.cancellation(document)],
    ];
    const pending = await proposed();
    const other = await proposed();
    for (const [index, [act, body]] of bodies(pending).entries()) {
      const path = `${pathOf(pending)}/${act}`;
      const unsigned = { ...body, acceptance: undefined, signature: undefined };
      refused(await beta.post(path, unsigned, thief), 403, 'signature-required');
      // What was signed for another interaction does not fit this one.
      const [, signedElsewhere] = bodies(other)[index] ?? ['', {}];
      const { acceptance, signature } = signedElsewhere as Record<string, unknown>;
      const borrowed = { ...unsigned, acceptance, signature };
      refused(await beta.post(path, borrowed, thief), 422, 'signature-invalid');
    }
    expect(emitted(await alpha.get(pathOf(pending)), 200)).toEqual(pending);

    const agreed = await active();
    const report = { ...beta.completion(agreed), signature: undefined };
    const path = `${pathOf(agreed)}/completion`;
    refused(await beta.post(path, report, thief), 403, 'signature-required');
    const offer = emitted(await beta.revise(agreed, changed(agreed, 8)), 201);
    const back = { ...beta.withdrawal(offer), signature: undefined };
    refused(await beta.post(`${pathOf(offer)}/withdrawal`, back, thief), 403, 'signature-required');
    expect(emitted(await alpha.get(pathOf(agreed)), 200)).toEqual(offer);
  });

  it('cannot repeat a report that is in the log, once its terms are agreed anew', async () => {
    const agreed = await active();
    const path = `${pathOf(agreed)}/completion`;
    const report = beta.completion(agreed);
    emitted(await beta.post(path, report), 200);
    const offered = emitted(await beta.revise(agreed, changed(agreed, 8)), 201);
    const amended = emitted(await alpha.accept(offered), 201);
    const back = emitted(await beta.revise(amended, newest(agreed).contract), 201);
    const again = emitted(await alpha.accept(back), 201);
    expect(again.termsHash).toBe(agreed.termsHash);

    const replayed = { ...report, head: headOf(again) };
    const thief = { token: beta.ownerToken };
    refused(await beta.post(path, replayed, thief), 422, 'signature-invalid');
    const { body } = await alpha.get(`${pathOf(again)}/status`);
    expect(body['waitingOn']).toEqual(['alpha', 'beta']);
    // A retry is told what its request came to then; a report that is signed anew counts now.
    const retried = await beta.post(path, report);
    expect([retried.status, retried.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    emitted(await beta.post(path, beta.completion(again)), 200);
    expect(emitted(await alpha.complete(again), 200).status).toBe('completed');
  });

  it('of another agent, tenant, client or scope does not act at all', async () => {
    const pending = await proposed();
    const path = `${pathOf(pending)}/acceptances`;
    const body = beta.consent(pending);
    const { runtimeToken, ownerToken } = beta;
    for (const token of [
      alpha.runtimeToken,
      { ...runtimeToken, agent: 'gamma' },
      { ...runtimeToken, tenant: 'tenant-of-gamma' },
      { ...ownerToken, principal: 'somebody', client: 'some-client' },
    ]) {
      refused(await beta.post(path, body, { token }), 404, 'interaction-not-found');
    }
    const token = { ...runtimeToken, scopes: ['interactions:read'] as const };
    refused(await beta.post(path, body, { token }), 403, 'scope-missing');
    const terms = contractOf([alpha, beta]);
    refused(
      await alpha.propose(terms, beta, { token: beta.runtimeToken }),
      403,
      'not-acting-agent',
    );
    expect(emitted(await beta.accept(pending), 201).status).toBe('active');
  });
});

describe('a contract', () => {
  it('is judged by the wire schema, every fault with its pointer', async () => {
    const terms = { ...contractOf([alpha, beta]), retentionDays: -1, purpose: 7, more: true };
    const body = { ...alpha.proposal(contractOf([alpha, beta]), beta), contract: terms };
    const answer = refused(await alpha.post('/v1/interactions', body), 422, 'contract-invalid');
    const pointers = (answer.body['errors'] as { pointer: string }[]).map(({ pointer }) => pointer);
    expect(new Set(pointers)).toEqual(
      new Set(['/contract/retentionDays', '/contract/purpose', '/contract/more']),
    );
  });

  it('with a member twice (case 3), half a character (case 4) or an inexact number (case 5) has no meaning', async () => {
    const token = await service.token(alpha.runtimeToken);
    const text = JSON.stringify(alpha.proposal(contractOf([alpha, beta]), beta));
    const post = async (body: string): Promise<unknown> => {
      const response = await fetch(`${service.url}/v1/interactions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body,
      });
      return [response.status, ((await response.json()) as { code: string }).code];
    };
    const days = '"retentionDays":30';
    expect(await post(text.replace(days, `${days},"retention\\u0044ays":3650`))).toEqual([
      400,
      'json-duplicate-name',
    ]);
    expect(await post(text.replace('Translate a leaflet', '\\ud83d'))).toEqual([
      400,
      'json-lone-surrogate',
    ]);
    expect(await post(text.replace(days, '"retentionDays":9007199254740993'))).toEqual([
      400,
      'json-inexact-number',
    ]);
  });

  it('belongs to its interaction, names registered parties and ends in time', async () => {
    const terms = contractOf([alpha, beta]);
    const body = alpha.proposal(terms, beta);
    const at = '/v1/interactions';
    const other = contractOf([alpha, beta]).interactionId;
    refused(await alpha.post(at, { ...body, interactionId: other }), 422, 'contract-mismatch');
    refused(
      await alpha.post(at, { ...body, interactionId: other.toUpperCase() }),
      422,
      'interaction-id-invalid',
    );
    const signed = { alpha: { algorithm: 'Ed25519', keyId: 'k', value: 'v' } };
    refused(
      await alpha.post(at, { ...body, contract: { ...terms, signatures: signed } }),
      422,
      'signatures-not-empty',
    );
    const nobody = { ...terms, parties: ['alpha', 'beta', 'constructor'] };
    refused(await alpha.post(at, { ...body, contract: nobody }), 422, 'party-not-registered');
    for (const expiresAt of [inFuture(-HOUR), inFuture(367 * 24 * HOUR)]) {
      refused(await alpha.post(at, { ...body, expiresAt }), 422, 'expiry-invalid');
    }
    refused(await alpha.get(pathOf(terms)), 404, 'interaction-not-found');
  });
});

describe('expiry', () => {
  it('shows the same bytes before and after it is recorded, once', async () => {
    const expiresAt = inFuture(1500);
    const body = alpha.proposal(contractOf([alpha, beta]), beta, expiresAt);
    const pending = emitted(await alpha.post('/v1/interactions', body), 201);
    const acceptance = beta.consent(pending);
    await new Promise((resolve) => setTimeout(resolve, Date.parse(expiresAt) - Date.now()));
    const first = await alpha.get(pathOf(pending));
    const expired = emitted(first, 200);
    expect(expired).toMatchObject({ status: 'expired', updatedAt: expiresAt });
    const late = await beta.post(`${pathOf(pending)}/acceptances`, acceptance);
    expect(refused(late, 409, 'interaction-ended').body['head']).toEqual(headOf(expired));

    await eventually(async () => (await eventTypes(pending, alpha)).length > 1);
    const second = await alpha.get(pathOf(pending));
    expect(second.text).toBe(first.text);
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
    expect(await eventTypes(pending, alpha)).toEqual([
      'interaction-proposed',
      'interaction-expired',
    ]);
  });
});

describe('a restart', () => {
  it('in the middle changes nothing, and expiry is recorded for what ended meanwhile', async () => {
    const expiresAt = inFuture(1500);
    const short = alpha.proposal(contractOf([alpha, beta]), beta, expiresAt);
    const doomed = emitted(await alpha.post('/v1/interactions', short), 201);
    const pending = await proposed();
    await service.stop();
    await new Promise((resolve) => setTimeout(resolve, Date.parse(expiresAt) + 20 - Date.now()));
    await service.start();

    expect(emitted(await alpha.get(pathOf(pending)), 200)).toEqual(pending);
    const agreed = emitted(await beta.accept(pending), 201);
    await service.restart();
    const reported = emitted(await alpha.complete(agreed), 200);
    await service.restart();
    const completed = emitted(await beta.complete(reported), 200);
    expect(completed.status).toBe('completed');
    expect(await verdictOn(completed, alpha)).toBe('verified');

    await eventually(async () => (await eventTypes(doomed, alpha)).length > 1);
    const expired = emitted(await alpha.get(pathOf(doomed)), 200);
    expect(expired).toMatchObject({ status: 'expired', updatedAt: expiresAt });
    expect(await eventTypes(doomed, alpha)).toEqual([
      'interaction-proposed',
      'interaction-expired',
    ]);
  });
});
