import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FederatedInteraction } from '../../src/kernel/federated-interaction.js';
import type { Json } from '../../src/kernel/json.js';
import { startTestService, type Answer, type InProcessService } from '../support/service.js';
import { emitted, refused } from './support/expectations.js';
import {
  contractOf,
  documentOf,
  HOUR,
  inFuture,
  Negotiator,
  newest,
  type SendOptions,
} from './support/negotiator.js';

let service: InProcessService;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(async () => {
  await service.dispose();
});

type Item = Readonly<Record<string, Json>>;

const itemsOf = (answer: Answer): readonly Item[] => {
  expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
  return answer.body['items'] as unknown as readonly Item[];
};
const idsOf = (answer: Answer): readonly Json[] =>
  itemsOf(answer).map(({ interactionId }) => interactionId ?? null);

const listBy = async (
  who: Negotiator,
  query: string,
  seen?: Answer,
  options: SendOptions = {},
): Promise<Answer> => {
  const token = seen?.headers.get('position-token');
  const headers = token === null || token === undefined ? {} : { 'position-token': token };
  return who.get(`/v1/interactions?${query}`, { ...options, headers });
};

let names = 0;
const pair = async (): Promise<readonly [Negotiator, Negotiator]> => {
  const number = String(++names);
  return [
    await Negotiator.register(service, `a-${number}`),
    await Negotiator.register(service, `b-${number}`),
  ];
};

describe('GET /v1/interactions', () => {
  it('shows a write at once to whoever brings its position (case 26)', async () => {
    const [alpha, beta] = await pair();
    for (let round = 0; round < 20; round++) {
      const answer = await alpha.propose(contractOf([alpha, beta]), beta);
      const document = documentOf(answer);
      expect(idsOf(await listBy(beta, 'limit=1', answer))).toEqual([document.interactionId]);
      const accepted = await beta.accept(document);
      const [item] = itemsOf(await listBy(alpha, 'limit=1', accepted));
      expect(item).toMatchObject({ interactionId: document.interactionId, status: 'active' });
    }
  });

  it('answers what it knows of an item, and nothing of the terms but category and deadline', async () => {
    const [alpha, beta] = await pair();
    const deadline = inFuture(HOUR / 2);
    const answer = await alpha.propose(contractOf([alpha, beta], { deadline }), beta);
    const document = documentOf(answer);
    expect((await listBy(alpha, '', answer)).body).toEqual({
      items: [
        {
          interactionId: document.interactionId,
          status: 'pending',
          initiatorAgentId: alpha.agentId,
          responderAgentId: beta.agentId,
          parties: [alpha.agentId, beta.agentId],
          taskCategory: 'translation',
          deadline,
          contractRevision: 1,
          waitingOn: [beta.agentId],
          createdAt: document.createdAt,
          updatedAt: document.updatedAt,
          expiresAt: document.expiresAt,
          reliable: true,
        },
      ],
      nextCursor: null,
    });
  });

  it('filters by status, party, category, whose move it is, expiry and last change', async () => {
    const [alpha, beta] = await pair();
    const gamma = await Negotiator.register(service, 'gamma-of-lists');
    const propose = async (
      terms: Parameters<typeof contractOf>[1],
      other = beta,
      hours = 1,
    ): Promise<FederatedInteraction> => {
      const contract = contractOf([alpha, other], terms);
      const body = alpha.proposal(contract, other, inFuture(hours * HOUR));
      return emitted(await alpha.post('/v1/interactions', body), 201);
    };
    const pending = await propose({ taskCategory: 'a' });
    const active = await propose({ taskCategory: 'b' }, beta, 2);
    const rejected = await propose({ taskCategory: 'c' }, gamma, 3);
    await beta.accept(active);
    await new Promise((resolve) => setTimeout(resolve, 3));
    const last = await gamma.reject(rejected);
    const found = async (query: string): Promise<readonly Json[]> =>
      idsOf(await listBy(alpha, query, last));
    const [p, a, r] = [pending, active, rejected].map(({ interactionId }) => interactionId);

    expect(await found('')).toEqual([r, a, p]);
    expect(await found('status=pending')).toEqual([p]);
    expect(await found('status=active')).toEqual([a]);
    expect(await found('status=rejected')).toEqual([r]);
    expect(await found('status=expired')).toEqual([]);
    expect(await found(`party=${gamma.agentId}`)).toEqual([r]);
    expect(await found(`party=${beta.agentId}`)).toEqual([a, p]);
    expect(await found('taskCategory=b')).toEqual([a]);
    expect(await found('taskCategory=B')).toEqual([]);
    expect(await found(`waitingOn=${beta.agentId}`)).toEqual([a, p]);
    expect(await found(`waitingOn=${alpha.agentId}`)).toEqual([a]);
    expect(await found(`waitingOn=${gamma.agentId}`)).toEqual([]);
    expect(await found(`expiringBefore=${active.expiresAt}`)).toEqual([p]);
    expect(await found(`expiringBefore=${inFuture(9 * HOUR)}`)).toEqual([a, p]);
    const updatedAt = documentOf(last).updatedAt;
    expect(await found(`updatedSince=${updatedAt}`)).toEqual([r]);
    expect(await found(`updatedSince=${pending.updatedAt}`)).toEqual([r, a, p]);
    expect(await found(`status=active&waitingOn=${beta.agentId}&taskCategory=b`)).toEqual([a]);
    expect(await found(`status=active&waitingOn=${beta.agentId}&taskCategory=a`)).toEqual([]);
  });

  it('pages while rows are written at once and change: none skipped, none twice (case 22)', async () => {
    const [alpha, beta] = await pair();
    const written = await Promise.all(
      Array.from({ length: 60 }, () => alpha.propose(contractOf([alpha, beta]), beta)),
    );
    const documents = written.map(documentOf);
    const seen: Json[] = [];
    let cursor: Json = null;
    let latest = written.at(-1);
    for (const answer of written) {
      const position = answer.headers.get('position-token') ?? '';
      if (position > (latest?.headers.get('position-token') ?? '')) latest = answer;
    }
    do {
      const more = cursor === null ? '' : `&cursor=${String(cursor)}`;
      const page = await listBy(alpha, `limit=7${more}`, latest);
      seen.push(...idsOf(page));
      cursor = page.body['nextCursor'] ?? null;
      // The last row of the page and some rows before and after it change meanwhile.
      const changing = documents.filter(
        ({ interactionId }, index) => index % 13 === 0 || interactionId === seen.at(-1),
      );
      await Promise.all(changing.map((document) => beta.accept(document)));
      await alpha.propose(contractOf([alpha, beta]), beta);
    } while (cursor !== null);
    expect(seen).toHaveLength(60);
    expect(new Set(seen)).toEqual(new Set(documents.map(({ interactionId }) => interactionId)));
  }, 60_000);

  it('takes only its own cursors, with the filters that they were made for', async () => {
    const [alpha, beta] = await pair();
    await alpha.propose(contractOf([alpha, beta]), beta);
    const last = await alpha.propose(contractOf([alpha, beta]), beta);
    const first = await listBy(alpha, 'limit=1&status=pending', last);
    const cursor = String(first.body['nextCursor']);
    expect(idsOf(await listBy(alpha, `status=pending&cursor=${cursor}`))).toHaveLength(1);
    const tampered = Buffer.from(cursor, 'base64url')
      .toString()
      .replace(/"\d+"\]$/, '"x"]');
    for (const query of [
      `cursor=${cursor}`,
      `status=active&cursor=${cursor}`,
      `status=pending&party=${beta.agentId}&cursor=${cursor}`,
      `status=pending&cursor=${cursor.slice(0, -1)}`,
      `status=pending&cursor=${Buffer.from(tampered).toString('base64url')}`,
      'cursor=',
    ]) {
      refused(await listBy(alpha, query), 400, 'cursor-invalid');
    }
  });

  it('refuses parameters that it does not know, twice given or malformed', async () => {
    const [alpha] = await pair();
    for (const query of [
      'state=pending',
      'status=open',
      'status=pending&status=active',
      'party=a/b',
      'waitingOn=',
      'expiringBefore=tomorrow',
      'updatedSince=2026-01-01',
      'limit=0',
      'limit=101',
      'limit=ten',
    ]) {
      refused(await listBy(alpha, query), 400, 'request-invalid');
    }
    const headers = { 'position-token': 'nonsense' };
    refused(await alpha.get('/v1/interactions', { headers }), 400, 'position-invalid');
    refused(await service.call('GET', '/v1/interactions'), 401, 'token-missing');
  });

  it('shows own interactions without a scope, the tenant’s and all with theirs', async () => {
    const [alpha, beta] = await pair();
    const stranger = await Negotiator.register(service, 'stranger-of-lists');
    const last = await alpha.propose(contractOf([alpha, beta]), beta);
    const { interactionId } = documentOf(last);
    const sees = async (who: Negotiator, token: SendOptions['token']): Promise<boolean> =>
      idsOf(await listBy(who, 'limit=100', last, token && { token })).includes(interactionId);
    expect(await sees(alpha, { ...alpha.runtimeToken, scopes: [] })).toBe(true);
    expect(await sees(beta, { ...beta.ownerToken, scopes: [] })).toBe(true);
    expect(await sees(beta, beta.colleague('interactions:read'))).toBe(true);
    expect(await sees(beta, beta.colleague('audit:read'))).toBe(true);
    expect(await sees(stranger, stranger.colleague('operator:read'))).toBe(true);
    expect(await sees(stranger, stranger.colleague('audit:read-all'))).toBe(true);
    expect(await sees(beta, beta.colleague())).toBe(false);
    expect(await sees(stranger, stranger.runtimeToken)).toBe(false);
    expect(await sees(stranger, stranger.colleague('interactions:read', 'audit:read'))).toBe(false);
    const own = await listBy(stranger, `party=${alpha.agentId}`, last);
    expect(own.body).toEqual({ items: [], nextCursor: null });
  });

  it('is the same from a read database made anew', async () => {
    const [alpha, beta] = await pair();
    const pending = documentOf(await alpha.propose(contractOf([alpha, beta]), beta));
    const active = documentOf(await beta.accept(pending));
    const terms = { ...newest(active).contract, retentionDays: 1 };
    const last = await alpha.revise(active, terms);
    const operator = { token: alpha.colleague('operator:read') };
    const before = await listBy(alpha, 'limit=100', last, operator);
    await service.stop();
    for (const suffix of ['', '-wal', '-shm']) {
      await rm(join(service.folder, `read.db${suffix}`), { force: true });
    }
    await service.start();
    const after = await listBy(alpha, 'limit=100', undefined, operator);
    expect(itemsOf(after).length).toBeGreaterThan(5);
    expect(after.text).toBe(before.text);
  });
});

describe('a reader that does not wait', () => {
  it('gets the write or a clear answer, never a list without it', async () => {
    const hasty = await startTestService({ env: { READ_WAIT_MS: '0' } });
    const alpha = await Negotiator.register(hasty, 'alpha');
    const beta = await Negotiator.register(hasty, 'beta');
    const outcomes = new Set<number>();
    for (let round = 0; round < 30; round++) {
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => alpha.propose(contractOf([alpha, beta]), beta)),
      );
      for (const answer of answers) {
        const listed = await listBy(alpha, 'limit=100', answer);
        outcomes.add(listed.status);
        if (listed.status === 503) {
          refused(listed, 503, 'projection-behind');
          expect(Number(listed.headers.get('retry-after'))).toBeGreaterThan(0);
        } else {
          expect(idsOf(listed)).toContain(documentOf(answer).interactionId);
        }
      }
    }
    expect(outcomes.has(200)).toBe(true);
    const never = await hasty.call('GET', '/v1/interactions', {
      token: await hasty.token(),
      headers: { 'position-token': '9'.repeat(20) },
    });
    refused(never, 503, 'projection-behind');
    await hasty.dispose();
  }, 60_000);
});
