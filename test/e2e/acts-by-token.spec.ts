import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RestAgent, signedBody } from '../agents/support/rest-agent.js';
import { startTestService, type Answer, type InProcessService } from '../support/service.js';
import { emitted, refused } from './support/expectations.js';
import { contractOf, documentOf, headOf, Negotiator, pathOf } from './support/negotiator.js';
import { auditFailures } from './support/offline-audit.js';

let service: InProcessService;
let alpha: Negotiator;

beforeAll(async () => {
  service = await startTestService({ env: { LOG_CHECKPOINT_SECONDS: '1' } });
  alpha = await Negotiator.register(service, 'alpha');
});

afterAll(async () => {
  await service.dispose();
});

/** A change of an agent, signed with its key. */
async function change(agent: Negotiator, method: string, subPath: string, body: object) {
  const { key, agentId, ownerToken } = agent;
  if (key === null) throw new Error('it has a key');
  const answer = await service.call(method, new RestAgent(service, agentId).path + subPath, {
    token: await service.token({ ...ownerToken, scopes: ['agents:write'] }),
    body: signedBody(body, agentId, key, service),
  });
  if (answer.status !== 200) throw new Error(answer.text);
}

describe('of an agent that accepts by its key and by its policy', () => {
  it('a stolen token changes nothing: what the agent signs needs its key', async () => {
    const beta = await Negotiator.register(service, 'beta');
    const methods = ['ed25519', 'policy_auto_accept'];
    await change(beta, 'PUT', '/methods', {
      change: 'change-methods',
      expectedRevision: 0,
      methods,
    });
    const { tenant, agentId: agent } = beta;
    const token = { principal: 'thief', tenant, agent, scopes: ['interactions:write'] } as const;
    const steal = async (path: string, signed: object): Promise<Answer> => {
      const { acceptance: _, signature: __, ...body } = signed as Record<string, unknown>;
      return beta.post(path, body, { token });
    };

    const pending = documentOf(await alpha.propose(contractOf([alpha, beta]), beta));
    const path = pathOf(pending);
    const attempts: readonly [string, object][] = [
      ['acceptances', beta.consent(pending)],
      ['rejections', beta.rejection(pending)],
      ['cancellation', beta.cancellation(pending)],
    ];
    for (const [act, body] of attempts) {
      refused(await steal(`${path}/${act}`, body), 403, 'signature-required');
    }
    const active = documentOf(await beta.accept(pending));
    refused(await steal(`${path}/completion`, beta.completion(active)), 403, 'signature-required');
    const ended = documentOf(await beta.cancel(active));
    await alpha.consentToErasure(ended);
    const consent = await steal(`${path}/erasure-consents`, beta.erasureConsent(ended));
    refused(consent, 403, 'signature-required');
    expect((await beta.get(path)).status).toBe(200);
  });
});

describe('of an owner who comes through a client of the agent', () => {
  it.each(['oauth_account', 'oauth_installation'])('is an acceptance by %s', async (method) => {
    const gamma = await Negotiator.register(service, `gamma-${method}`, { key: null });
    const { agentId, client, ownerToken } = gamma;
    const body = { change: 'change-methods', expectedRevision: 0, methods: [method] };
    const changed = await new RestAgent(service, agentId).change(
      'PUT',
      '/methods',
      body,
      undefined,
      {
        ...ownerToken,
        scopes: ['agents:write'],
      },
    );
    expect(changed.body['methods']).toEqual([method]);
    const pending = documentOf(await alpha.propose(contractOf([alpha, gamma]), gamma));
    const accepted = await gamma.accept(pending, { token: { ...ownerToken, client } });
    const { contractRevisions } = emitted(accepted, 201);
    expect(contractRevisions[0]?.acceptances[agentId]).toMatchObject({ method });
  });
});

describe('of an agent that retired', () => {
  it('nothing is signed any more with a key that it then revokes', async () => {
    const delta = await Negotiator.register(service, 'delta');
    const active = documentOf(
      await delta.accept(documentOf(await alpha.propose(contractOf([alpha, delta]), delta))),
    );
    const keyId = delta.key?.keyId;
    await change(delta, 'POST', '/retirement', { change: 'retire', expectedRevision: 0 });
    const revoke = { change: 'revoke-key', expectedRevision: 1, keyId, reason: 'lost' };
    await change(delta, 'POST', `/keys/${String(keyId)}/revocation`, revoke);
    refused(await delta.cancel(active), 422, 'key-not-valid');
    const token = { ...delta.ownerToken, scopes: ['agents:admin', 'interactions:write'] as const };
    const body = { agentId: delta.agentId, head: headOf(active) };
    const ended = documentOf(await delta.post(`${pathOf(active)}/cancellation`, body, { token }));
    expect(ended.status).toBe('cancelled');
  });
});

it('the log that tells of all this verifies offline', async () => {
  expect(await auditFailures(service)).toEqual([]);
});
