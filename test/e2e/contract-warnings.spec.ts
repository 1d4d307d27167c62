import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FederatedInteraction } from '../../src/kernel/federated-interaction.js';
import { validateInteraction } from '../../src/kernel/wire-schema.js';
import { eventually } from '../support/eventually.js';
import { startTestService, type Answer, type InProcessService } from '../support/service.js';
import { deployment, HOST_TENANT, scripted } from './support/deployment.js';
import { contractOf, documentOf, Negotiator, newest, pathOf } from './support/negotiator.js';
import { Operator } from './support/operator.js';

let service: InProcessService;
let alpha: Negotiator;
let beta: Negotiator;

beforeAll(async () => {
  const manifests = [
    scripted('reconcile-invoice', { action: 'reconcile', data: ['invoices'] }),
    scripted('purge', { visibility: 'internal', action: 'purge', data: ['salaries'] }),
    scripted('for-others', {
      ...{ visibility: 'extended', requires_scopes: ['x'], action: 'buy', data: [] },
    }),
  ];
  service = await startTestService(
    await deployment({ finance: manifests }, { VOCABULARY: 'export' }),
  );
  alpha = await Negotiator.register(service, 'alpha');
  beta = await Negotiator.register(service, 'beta');
  await eventually(async () => (await propose(['reconcile'])).headers.get(HEADER) === null);
});

afterAll(async () => {
  await service.dispose();
});

const HEADER = 'contract-warnings';

const propose = async (prohibitedActions: readonly string[], more: object = {}): Promise<Answer> =>
  alpha.propose(contractOf([alpha, beta], { prohibitedActions, ...more }), beta);

const at = (place: string): string => `entry-not-in-vocabulary;pointer="/contract/${place}"`;

async function warningsOf(document: FederatedInteraction, revision: number): Promise<unknown> {
  const path = `${pathOf(document)}/revisions/${String(revision)}/warnings`;
  return (await beta.get(path)).body['warnings'];
}

describe('terms with an entry that no vocabulary knows', () => {
  it('are proposed all the same, with a valid document and a warning beside it', async () => {
    const answer = await propose(['reconcile', 'export', 'Publish it'], {
      prohibitedData: ['invoices'],
      humanApprovalRequirements: ['Ask the boss', 'reconcile'],
    });
    expect(answer.status).toBe(201);
    const places = ['prohibitedActions/2', 'humanApprovalRequirements/0'];
    expect(answer.headers.get(HEADER)).toBe(places.map(at).join(', '));
    expect(validateInteraction(answer.body)).toMatchObject({ ok: true });
    expect(await warningsOf(documentOf(answer), 1)).toMatchObject(
      places.map((place) => ({ code: 'entry-not-in-vocabulary', pointer: `/contract/${place}` })),
    );
  });

  it('are told of in counter-proposals and amendments, and not again by what follows', async () => {
    const document = documentOf(await propose([]));
    const countered = { ...newest(document).contract, prohibitedActions: ['Publish it'] };
    const counter = await beta.revise(document, countered);
    expect(counter.headers.get(HEADER)).toBe(at('prohibitedActions/0'));
    const accepted = await alpha.accept(documentOf(counter));
    expect(accepted.headers.get(HEADER)).toBeNull();
    const amended = { ...countered, prohibitedData: ['Secrets'] };
    const amendment = await alpha.revise(documentOf(accepted), amended);
    expect(amendment.headers.get(HEADER)).toBe(
      [at('prohibitedActions/0'), at('prohibitedData/0')].join(', '),
    );
    expect(await warningsOf(document, 1)).toEqual([]);
    expect(await warningsOf(document, 2)).toHaveLength(1);
    expect(await warningsOf(document, 3)).toHaveLength(2);
    expect(await beta.get(`${pathOf(document)}/revisions/4/warnings`)).toMatchObject({
      status: 404,
      body: { code: 'revision-not-found' },
    });
  });

  it('are answered alike when the proposal is sent again, whatever became known since', async () => {
    const terms = contractOf([alpha, beta], { prohibitedActions: ['archive'] });
    const body = alpha.proposal(terms, beta);
    const first = await alpha.post('/v1/interactions', body);
    expect(first.headers.get(HEADER)).toBe(at('prohibitedActions/0'));
    const operator = await Operator.of(service, 'finance');
    const agent = { agentId: 'finance' };
    await operator.register({ ...scripted('archive-invoice', { action: 'archive' }), ...agent });
    await eventually(async () => (await propose(['archive'])).headers.get(HEADER) === null);
    const again = await alpha.post('/v1/interactions', body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.headers.get(HEADER)).toBe(first.headers.get(HEADER));
    expect(again.body).toEqual(first.body);
  });

  it('tell nothing of manifests that the proposer may not see, whoever is the other party', async () => {
    const finance = await Negotiator.register(service, 'finance', { tenant: HOST_TENANT });
    const guesses = ['purge', 'salaries', 'buy', 'reconcile', 'nothing'];
    for (const responder of [finance, beta]) {
      const terms = contractOf([alpha, responder], { prohibitedActions: guesses });
      const answer = await alpha.propose(terms, responder);
      const unseen = [0, 1, 2, 4].map((n) => at(`prohibitedActions/${String(n)}`));
      expect(answer.headers.get(HEADER)).toBe(unseen.join(', '));
      const path = `${pathOf(documentOf(answer))}/revisions/1/warnings`;
      const { body } = await alpha.get(path);
      expect(body['warnings']).toHaveLength(4);
      if (responder === beta) continue;
      // Whose manifests they are knows them.
      const own = (await finance.get(path)).body['warnings'];
      expect(own).toMatchObject([{ pointer: '/contract/prohibitedActions/4' }]);
    }
  });

  it('fill a header field of bounded length', async () => {
    const answer = await propose(Array.from({ length: 60 }, (_, n) => `“prose” ${String(n)}`));
    const field = answer.headers.get(HEADER) ?? '';
    expect(field.split(', ')).toHaveLength(16);
    expect(field).toMatch(/^[ -~]*$/);
    expect(await warningsOf(documentOf(answer), 1)).toHaveLength(60);
  });
});
