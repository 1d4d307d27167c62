import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FederatedInteraction } from '../../src/kernel/federated-interaction.js';
import { PROCESS_TEST_TIMEOUT } from '../contracts/support/effort.js';
import { eventually } from '../support/eventually.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { contractOf, documentOf, headOf, Negotiator, pathOf } from './support/negotiator.js';

let service: InProcessService;
let alpha: Negotiator;
let beta: Negotiator;

beforeAll(async () => {
  service = await startTestService();
  alpha = await Negotiator.register(service, 'alpha');
  beta = await Negotiator.register(service, 'beta');
});

afterAll(async () => {
  await service.dispose();
});

async function cancelled(retentionDays = 30): Promise<FederatedInteraction> {
  const terms = contractOf([alpha, beta], { retentionDays, taskCategory: 'unmistakable' });
  const proposed = documentOf(await alpha.propose(terms, beta));
  const active = documentOf(await beta.accept(proposed));
  return documentOf(await beta.cancel(active, 'Because'));
}

const statusOf = async (document: FederatedInteraction) =>
  (await alpha.get(`${pathOf(document)}/status`)).body;

async function untilErased(document: FederatedInteraction): Promise<void> {
  await eventually(async () => (await statusOf(document))['erasure'] !== null);
}

describe('a consent', () => {
  it('is shown with who gave it and when, and when the texts go without another', async () => {
    const document = await cancelled();
    const before = await statusOf(document);
    expect(before).toMatchObject({ erasureConsents: [], erased: false, erasure: null });
    const ms = Date.parse(document.updatedAt) + 30 * 86_400_000;
    expect(before['erasureDueAt']).toBe(new Date(ms).toISOString());

    const answer = await alpha.consentToErasure(document);
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      interactionId: document.interactionId,
      consents: [{ agentId: 'alpha' }],
      waitingOn: ['beta'],
    });
    expect(answer.headers.get('location')).toBe(`${pathOf(document)}/erasure-consents`);
    expect((await beta.get(`${pathOf(document)}/erasure-consents`)).body).toEqual(answer.body);
    expect(await statusOf(document)).toMatchObject({
      erasureConsents: answer.body['consents'],
      erasureDueAt: before['erasureDueAt'],
      status: 'cancelled',
    });
    expect((await alpha.get(pathOf(document))).body).toEqual(document);
  });

  it('is given once; a retry of the same gets the same answer, also after the erasure', async () => {
    const document = await cancelled();
    const path = `${pathOf(document)}/erasure-consents`;
    const body = alpha.erasureConsent(document);
    const headers = { 'idempotency-key': `erase-${document.interactionId}` };
    const first = await alpha.post(path, body, { headers });
    const again = await alpha.post(path, body, { headers });
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const other = await alpha.post(path, alpha.erasureConsent(document));
    expect([other.status, other.body['code']]).toEqual([409, 'already-consented']);
    await beta.consentToErasure(document);
    await untilErased(document);
    const late = await alpha.post(path, body, { headers });
    expect([late.status, late.text]).toEqual([first.status, first.text]);
    const refused = await alpha.consentToErasure(document);
    expect([refused.status, refused.body['code']]).toEqual([410, 'interaction-erased']);
  });

  it('is refused before the end, of strangers, unsigned, and against another head', async () => {
    const terms = contractOf([alpha, beta]);
    const proposed = documentOf(await alpha.propose(terms, beta));
    const early = await alpha.consentToErasure(proposed);
    expect([early.status, early.body['code']]).toEqual([409, 'interaction-not-ended']);

    const document = await cancelled();
    const path = `${pathOf(document)}/erasure-consents`;
    const stranger = await Negotiator.register(service, 'stranger');
    const foreign = await stranger.consentToErasure(document);
    expect([foreign.status, foreign.body['code']]).toEqual([404, 'interaction-not-found']);
    const theft = await stranger.post(path, alpha.erasureConsent(document));
    expect([theft.status, theft.body['code']]).toEqual([404, 'interaction-not-found']);
    const unsigned = await alpha.post(path, { agentId: 'alpha' });
    expect([unsigned.status, unsigned.body['code']]).toEqual([403, 'signature-required']);
    const head = { ...headOf(document), revision: 2 };
    const moved = await alpha.post(path, { ...alpha.erasureConsent(document), head });
    expect([moved.status, moved.body['code']]).toEqual([409, 'head-changed']);
    const named = await alpha.post(path, {
      ...alpha.erasureConsent(document),
      head: headOf(document),
    });
    expect(named.status).toBe(201);
    expect((await statusOf(document))['erased']).toBe(false);
  });

  it('of a party without keys needs none', async () => {
    const plain = await Negotiator.register(service, 'plain', { key: null });
    const proposed = documentOf(await alpha.propose(contractOf([alpha, plain]), plain));
    const document = documentOf(await plain.reject(proposed, 'No'));
    expect((await plain.consentToErasure(document)).status).toBe(201);
    expect((await statusOf(document))['erased']).toBe(false);
    await alpha.consentToErasure(document);
    await untilErased(document);
  });
});

describe('once every party consented', () => {
  let document: FederatedInteraction;

  beforeAll(async () => {
    document = await cancelled();
    await alpha.consentToErasure(document);
    await beta.consentToErasure(document);
    await untilErased(document);
  });

  it.each([
    ['', ''],
    ['/revisions', ''],
    ['/revisions/1', ''],
    ['/revisions/1/warnings', ''],
    ['', ' of the past'],
  ])('the document%s%s answers 410 with what remains', async (path, past) => {
    const rest = path + (past === '' ? '' : `?at=${document.updatedAt}`);
    const answer = await alpha.get(`${pathOf(document)}${rest}`);
    expect([answer.status, answer.body['code']]).toEqual([410, 'interaction-erased']);
    const [revision] = document.contractRevisions;
    expect(answer.body['remains']).toMatchObject({
      interactionId: document.interactionId,
      status: 'cancelled',
      termsHash: document.termsHash,
      contractRevisions: [
        {
          acceptances: expect.arrayContaining(
            Object.values(revision?.acceptances ?? {}).map((each) =>
              expect.objectContaining({ ...each }),
            ),
          ) as unknown,
          platformAttestation: revision?.platformAttestation,
        },
      ],
    });
    expect(answer.text).not.toContain('leaflet');
  });

  it('and why and when they went', async () => {
    const { erasure } = await statusOf(document);
    const { body } = await beta.get(pathOf(document));
    expect(body['remains']).toMatchObject({ erasure });
    expect(erasure).toMatchObject({ ground: 'consent' });
  });

  it('an old ETag is no way around it', async () => {
    const { version } = await statusOf(document);
    for (const tag of ['*', `"${String(version)}.cancelled.1.accepted.${document.termsHash}"`]) {
      const headers = { 'if-none-match': tag };
      expect((await alpha.get(pathOf(document), { headers })).status).toBe(410);
    }
  });

  it('status, events, acceptances and verification keys still answer, without texts', async () => {
    const status = await statusOf(document);
    expect(status).toMatchObject({
      erased: true,
      erasure: { ground: 'consent' },
      erasureConsents: [{ agentId: 'alpha' }, { agentId: 'beta' }],
      erasureDueAt: null,
    });
    const events = await alpha.get(`${pathOf(document)}/events`);
    const batch = events.body as unknown as { type: string; data: { texts?: unknown } }[];
    expect(batch.map(({ type }) => type)).toEqual([
      'interaction-proposed',
      'revision-accepted',
      'revision-attested',
      'interaction-cancelled',
      'erasure-consented',
      'erasure-consented',
      'texts-erased',
    ]);
    for (const { data } of batch) expect(data.texts ?? null).toBeNull();
    for (const rest of ['/acceptances', '/verification-keys']) {
      expect((await alpha.get(`${pathOf(document)}${rest}`)).status).toBe(200);
    }
  });

  it('the list has it, without what its terms said', async () => {
    const query = async (filter: string) => {
      const answer = await alpha.get(`/v1/interactions?limit=100${filter}`);
      const { items } = answer.body as unknown as { items: { interactionId: string }[] };
      return items.find(({ interactionId }) => interactionId === document.interactionId);
    };
    await eventually(async () => (await query('&taskCategory=unmistakable')) === undefined);
    expect(await query('')).toMatchObject({
      status: 'cancelled',
      taskCategory: null,
      deadline: null,
    });
  });

  it('a retry of an earlier command is told that the texts are gone', async () => {
    const answer = await beta.cancel(document, 'Because');
    expect([answer.status, answer.body['code']]).toEqual([409, 'interaction-ended']);
  });
});

describe('to propose its id again', () => {
  let body: ReturnType<Negotiator['proposal']>;
  let document: FederatedInteraction;
  const headers = { 'idempotency-key': 'the first proposal' };
  const codeOf = ({ status, body: { code } }: Awaited<ReturnType<Negotiator['post']>>) => [
    status,
    code,
  ];

  beforeAll(async () => {
    body = alpha.proposal(contractOf([alpha, beta]), beta);
    const proposed = documentOf(await alpha.post('/v1/interactions', body, { headers }));
    document = documentOf(await beta.reject(proposed, 'No'));
    await alpha.consentToErasure(document);
    await beta.consentToErasure(document);
    await untilErased(document);
  });

  it('tells strangers no more than of any id that is taken', async () => {
    const eve = await Negotiator.register(service, 'eve');
    const { interactionId } = document;
    const answer = await eve.propose({ ...contractOf([eve, beta]), interactionId }, beta);
    expect(codeOf(answer)).toEqual([409, 'interaction-exists']);
    expect(codeOf(await eve.get(pathOf(document)))).toEqual([404, 'interaction-not-found']);
  });

  it('as a retry answers 410 with what remains, and with another body under its key 422', async () => {
    const again = await alpha.post('/v1/interactions', body, { headers });
    expect(codeOf(again)).toEqual([410, 'interaction-erased']);
    expect(again.body['remains']).toMatchObject({ interactionId: document.interactionId });
    const { interactionId } = document;
    const other = alpha.proposal(
      { ...contractOf([alpha, beta], { purpose: 'Something else' }), interactionId },
      beta,
    );
    expect(codeOf(await alpha.post('/v1/interactions', other, { headers }))).toEqual([
      422,
      'idempotency-key-reused',
    ]);
  });
});

it('texts whose terms retain them for no day go with the end', async () => {
  const terms = contractOf([alpha, beta], { retentionDays: 0 });
  const proposed = documentOf(await alpha.propose(terms, beta));
  const ended = await beta.cancel(documentOf(await beta.accept(proposed)), 'No');
  expect([200, 410]).toContain(ended.status);
  await untilErased(proposed);
  expect(await statusOf(proposed)).toMatchObject({
    status: 'cancelled',
    erasure: { ground: 'retention' },
  });
});

it(
  'two parties that consent at once, a hundred times: two consents, one erasure',
  async () => {
    const documents = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const proposed = documentOf(await alpha.propose(contractOf([alpha, beta]), beta));
        return documentOf(await beta.reject(proposed));
      }),
    );
    await Promise.all(
      documents.map(async (document) => {
        // Both twice: with one body each, so that the second is a retry of the first.
        const bodies = [alpha, beta].map((who) => [who, who.erasureConsent(document)] as const);
        const answers = await Promise.all(
          [...bodies, ...bodies].map(async ([who, body]) =>
            who.post(`${pathOf(document)}/erasure-consents`, body),
          ),
        );
        expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
      }),
    );
    for (const document of documents) {
      await untilErased(document);
      const events = await alpha.get(`${pathOf(document)}/events`);
      const types = (events.body as unknown as { type: string }[]).map(({ type }) => type);
      expect(types.slice(2)).toEqual(['erasure-consented', 'erasure-consented', 'texts-erased']);
    }
  },
  PROCESS_TEST_TIMEOUT,
);
