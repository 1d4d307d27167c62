import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SCOPES } from '../../src/kernel/caller.js';
import type { FederatedInteraction } from '../../src/kernel/federated-interaction.js';
import { formatNoteKey, noteKey, signNote } from '../../src/kernel/note-key.js';
import { formatNote, parseNote } from '../../src/kernel/signed-note.js';
import { makeKey } from '../audit/log/support/log-node.js';
import { testKey } from '../agents/support/agents.js';
import { keyMember, OWN_ENDPOINT, RestAgent } from '../agents/support/rest-agent.js';
import { eventually } from '../support/eventually.js';
import { startTestService, type Answer, type InProcessService } from '../support/service.js';
import { deployment, HOST_TENANT, scripted } from './support/deployment.js';
import { AnswersJudge, type DescribedAnswers } from './support/described-answers.js';
import { contractOf, documentOf, Negotiator, newest, pathOf } from './support/negotiator.js';

const HOSTED = 'finance';

const witnessPair = makeKey('w1');
const witness = noteKey('witness.example/w1', 'cosignature/v1', witnessPair.jwk);

let plain: InProcessService;
/** The same, every answer judged. */
let service: InProcessService;
let judge: AnswersJudge;
let alpha: Negotiator;
let beta: Negotiator;
let agreed: FederatedInteraction;
/** Tokens of those who may do most: of the host's tenant, and of a party. */
let operator: string;
let party: string;

beforeAll(async () => {
  const { folder, env } = await deployment(
    { [HOSTED]: [scripted('say')] },
    { LOG_CHECKPOINT_SECONDS: '1', LOG_WITNESSES: formatNoteKey(witness) },
  );
  plain = await startTestService({ folder, env });
  const { body } = await plain.call('GET', '/openapi.json');
  judge = new AnswersJudge(body as unknown as DescribedAnswers);
  service = judge.watching(plain);
  alpha = await Negotiator.register(service, 'alpha');
  beta = await Negotiator.register(service, 'beta');
  operator = await plain.token({ principal: 'operator', tenant: HOST_TENANT, scopes: SCOPES });
  party = await plain.token({ ...alpha.runtimeToken, scopes: SCOPES });
  agreed = documentOf(await beta.accept(await propose()));
  await eventually(async () => {
    const { status } = await plain.call('GET', `${pathOf(agreed)}/evidence`, { token: party });
    return status === 200;
  });
});

afterAll(async () => {
  await plain.dispose();
});

const propose = async (): Promise<FederatedInteraction> =>
  documentOf(await alpha.propose(contractOf([alpha, beta]), beta));

/** Every read, at an address where there is something as far as this service has it. */
function reads(): readonly string[] {
  const interaction = pathOf(agreed);
  const capability = `/v1/capabilities/${HOSTED}/say`;
  return [
    '/.well-known/agent-card.json',
    `/a2a/${HOSTED}/.well-known/agent-card.json`,
    '/.well-known/jwks.json',
    '/health',
    '/health/live',
    '/health/ready',
    '/log/checkpoint',
    '/log/tile/0/000.p/1',
    '/problems',
    '/problems/not-found',
    '/schemas/v0.1/federated-interaction.schema.json',
    '/v1/agents',
    '/v1/agents/alpha',
    '/v1/agents/alpha/keys',
    '/v1/approvals',
    `/v1/approvals/${randomUUID()}`,
    '/v1/capabilities',
    capability,
    `${capability}/opt-ins`,
    `${capability}/usage`,
    '/v1/events',
    '/v1/interactions',
    interaction,
    ...['acceptances', 'erasure-consents', 'events', 'evidence', 'revisions', 'status'].map(
      (part) => `${interaction}/${part}`,
    ),
    `${interaction}/revisions/1`,
    `${interaction}/revisions/1/warnings`,
    `${interaction}/verification-keys`,
    '/v1/log',
    '/v1/log/checkpoints',
    '/v1/log/proofs/consistency?from=0&to=1',
    '/v1/log/proofs/inclusion?index=0&size=1',
    '/v1/platform-keys',
  ];
}

/** What may be asked of a read in more ways than one: without a token, by whoever has the answer, … */
const WAYS: readonly Readonly<Record<string, string>>[] = [
  {},
  { accept: 'text/html' },
  { accept: 'application/x-ndjson' },
  { 'if-none-match': '*' },
  { 'position-token': 'x' },
];

/** Every change of an agent without keys, by its owner; then of one that it has been given. */
async function changeAgent(): Promise<void> {
  const owner = { principal: 'owner-of-gamma', tenant: 'tenant-of-gamma', scopes: SCOPES };
  const gamma = new RestAgent(service, 'gamma');
  const added = testKey('gamma-1', 251);
  const changes: readonly (readonly ['PUT' | 'POST', string, object])[] = [
    ['PUT', '/methods', { change: 'change-methods', methods: ['oauth_account'] }],
    ['PUT', '/policy', { change: 'change-policy', policy: null }],
    ['PUT', '/clients', { change: 'change-clients', clients: ['a'] }],
    ['PUT', '/transport', { change: 'change-transport', transport: OWN_ENDPOINT }],
    ['POST', '/keys', { change: 'add-key', key: keyMember(added, 'gamma', service) }],
    ['POST', '/keys/gamma-1/revocation', { change: 'revoke-key', keyId: 'gamma-1' }],
    ['POST', '/retirement', { change: 'retire', reason: 'x\ufe0f'.repeat(1_000) }],
  ];
  await gamma.register([], {}, await service.token(owner));
  for (const [method, subPath, body] of changes) {
    const { revision } = (await gamma.get('', owner)).body;
    const answer = await gamma.change(
      method,
      subPath,
      { ...body, expectedRevision: revision },
      undefined,
      owner,
    );
    expect([subPath, answer.status, answer.text]).toEqual([
      subPath,
      expect.any(Number),
      expect.stringContaining('"agentId":"gamma"'),
    ]);
  }
}

describe('what is answered is described', () => {
  it('of every read, in status and media type', async () => {
    for (const target of reads()) {
      for (const token of [undefined, operator, party]) {
        const as = token === undefined ? {} : { token };
        for (const headers of WAYS) {
          const answer = await service.call('GET', target, { ...as, headers });
          const etag = answer.headers.get('etag');
          if (etag === null) continue;
          const again = { ...headers, 'if-none-match': etag };
          const { status } = await service.call('GET', target, { ...as, headers: again });
          if (answer.status === 200) expect([target, status]).toEqual([target, 304]);
        }
        await service.call('HEAD', target, as);
        const asked = target.includes('?') ? '&' : '?';
        await service.call('GET', `${target}${asked}surprise=1`, as);
      }
    }
    const unanswered = judge
      .without((status) => status === 200)
      .filter((name) => name.startsWith('GET '));
    // There is none: an approval comes of a call that waits for one.
    expect(unanswered).toEqual(['GET /v1/approvals/{invocationId}']);
  }, 60_000);

  it('of a stream that goes on, in its media type', async () => {
    const headers = { authorization: `Bearer ${operator}`, accept: 'text/event-stream' };
    const answer = await fetch(`${plain.url}/v1/events`, { headers });
    judge.judge('HEAD', '/v1/events', {
      ...{ status: answer.status, headers: answer.headers, body: {}, text: '' },
    });
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
    await answer.body?.cancel();
  });

  it('of every write', async () => {
    const first = await propose();
    const revised = documentOf(
      await beta.revise(first, { ...newest(first).contract, retentionDays: 2 }),
    );
    const ended = [
      await alpha.reject(revised, 'no'),
      await alpha.withdraw(await propose()),
      await alpha.cancel(documentOf(await beta.accept(await propose())), 'enough'),
      await alpha.complete(documentOf(await beta.accept(await propose()))),
    ];
    for (const each of ended) expect(each.status).toBe(200);
    await alpha.consentToErasure(documentOf(ended[0] as Answer));
    await changeAgent();

    const write = (method: string, target: string, body?: object, more: object = {}) =>
      service.call(method, target, {
        token: operator,
        ...(body !== undefined && { body }),
        ...more,
      });
    const capability = `/v1/capabilities/${HOSTED}/told`;
    await write('POST', '/v1/capabilities', scripted('told', { state: 'preview' }));
    await write(
      'PUT',
      `${capability}?expectedRevision=0`,
      scripted('told', { state: 'preview', owner: 'b' }),
    );
    await write('PUT', `${capability}/opt-ins/alpha`);
    await write('DELETE', `${capability}/opt-ins/alpha`);
    await write('POST', `${capability}/state`, { expectedRevision: 3, state: 'ga' });
    await write('POST', '/v1/routing/explain', { agent: HOSTED, text: 'Play a script.' });
    await write('POST', '/v1/authorizations/explain', { agentId: HOSTED, skillId: 'say' });
    const text = parseNote((await service.call('GET', '/log/checkpoint')).text)?.text ?? '';
    const seconds = Math.floor(Date.now() / 1000);
    const signatures = [signNote(text, witness, witnessPair.sign, seconds)];
    await write('POST', '/v1/log/cosignatures', { note: formatNote({ text, signatures }) });
    // An approval comes of a call that waits for one: there is none here.
    expect(judge.without((status) => status >= 200 && status < 300)).toEqual([
      'GET /v1/approvals/{invocationId}',
      'POST /v1/approvals/{invocationId}/decision',
    ]);
  }, 60_000);

  it('in the length of texts, of which a variation selector is a character, too', async () => {
    const first = await propose();
    const tooLong = await beta.reject(first, 'x\ufe0f'.repeat(1_001));
    expect([tooLong.status, tooLong.body['errors']]).toEqual([
      400,
      [{ pointer: '/reason', detail: 'must be a text of at most 2000 characters' }],
    ]);
    expect((await beta.reject(first, 'x\ufe0f'.repeat(1_000))).status).toBe(200);
  });

  it('of every write that has no sense, or comes from nobody', async () => {
    for (const name of judge.without(() => false)) {
      const [method = '', path = ''] = name.split(' ');
      const target = path.replaceAll(/\{\w+\}/g, 'x');
      if (method === 'GET') continue;
      for (const token of [undefined, operator, party]) {
        const as = token === undefined ? {} : { token };
        await service.call(method, target, { ...as, body: {} });
        await service.call(method, target, { ...as, body: { a: 'x'.repeat(300_000) } });
        await service.call(method, target, {
          ...as,
          body: {},
          headers: { 'content-type': 'text/plain' },
        });
        await service.call(method, target, {
          ...as,
          body: {},
          headers: { 'idempotency-key': 'x'.repeat(256) },
        });
        await service.call(method, target, {
          ...as,
          body: {},
          headers: { 'content-encoding': 'gzip' },
        });
      }
    }
  }, 60_000);
});
