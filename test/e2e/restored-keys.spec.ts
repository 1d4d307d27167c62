import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FederatedInteraction } from '../../src/kernel/federated-interaction.js';
import { PROCESS_TEST_TIMEOUT } from '../contracts/support/effort.js';
import type { SampleBackend } from '../invocations/backends/support/sample-backend.js';
import { eventually } from '../support/eventually.js';
import { startTestService, type Answer, type InProcessService } from '../support/service.js';
import { Approver, type Approval } from './support/approver.js';
import { Auditor, AUDITS_ALL } from './support/auditor.js';
import { tellStory, type Story } from './support/erasable-story.js';
import {
  contractSkill,
  financeDeployment,
  newPartner,
  registerFinance,
  startBackend,
} from './support/finance.js';
import { contractOf, documentOf, pathOf, type Negotiator } from './support/negotiator.js';

let service: InProcessService;
let backend: SampleBackend;
let partner: Negotiator;
let story: Story;
let denied: Approval;
/** Acts on another contract, each as it was sent the first time. */
let retries: readonly (() => Promise<Answer>)[];
/** While the contract was in force. */
let before: string;

/**
 * What an older copy of the key store was put back for, in the moment before a node destroys again what
 * the log says is erased: here the rows come back under a node that has done so at its start.
 */
beforeAll(async () => {
  backend = await startBackend(() => service);
  service = await startTestService(await financeDeployment(backend, [contractSkill('reconcile')]));
  const finance = await registerFinance(service);
  partner = await newPartner(service);
  story = await tellStory(service, partner, finance, 30);
  before = new Date().toISOString();
  denied = await (await Approver.of(service)).denied();
  const again = await actsToRetry(finance);
  retries = again.acts;
  const file = join(service.folder, 'keys.db');
  const keys = new Database(file);
  const older = keys.prepare('SELECT scope, key FROM keys').all();
  for (const document of [story.document, again.document]) {
    await partner.consentToErasure(document);
    await finance.consentToErasure(document);
  }
  await eventually(
    async () => (await auditedTypes()).filter((type) => type === 'texts-erased').length === 2,
  );
  const restore = keys.prepare('UPDATE keys SET key = @key WHERE scope = @scope AND key <> @key');
  // Of the two contracts and of the call that repeats some of one.
  await eventually(() => Promise.resolve(older.filter((row) => destroyed(keys, row)).length >= 3));
  expect(older.map((row) => restore.run(row).changes).filter((n) => n === 1)).toHaveLength(3);
  // A node that has recorded an erasure sweeps once more what repeats its texts.
  await eventually(async () => {
    await delay(500);
    return older.every((row) => restore.run(row).changes === 0);
  });
  keys.close();
}, PROCESS_TEST_TIMEOUT);

afterAll(async () => {
  await service.dispose();
  await backend.stop();
});

/** A contract that ended, and every act by which it did, to be sent once more. */
async function actsToRetry(finance: Negotiator): Promise<{
  readonly document: FederatedInteraction;
  readonly acts: readonly (() => Promise<Answer>)[];
}> {
  const acts: (() => Promise<Answer>)[] = [];
  const send = async (
    who: Negotiator,
    path: string,
    body: object,
  ): Promise<FederatedInteraction> => {
    const headers = { 'idempotency-key': randomUUID() };
    const act = async (): Promise<Answer> => who.post(path, body, { headers });
    acts.push(act);
    return documentOf(await act());
  };
  const [purpose = '', reason = ''] = story.texts;
  const terms = contractOf([partner, finance], { purpose });
  const proposed = await send(partner, '/v1/interactions', partner.proposal(terms, finance));
  const path = pathOf(proposed);
  const active = await send(finance, `${path}/acceptances`, finance.consent(proposed));
  const changed = { ...terms, requestedOutcome: reason };
  const amended = await send(finance, `${path}/revisions`, finance.revision(active, changed));
  const same = await send(partner, `${path}/rejections`, partner.rejection(amended, reason));
  const reported = await send(partner, `${path}/completion`, partner.completion(same));
  const ended = finance.cancellation(reported, reason);
  return { document: await send(finance, `${path}/cancellation`, ended), acts };
}

function destroyed(keys: Database.Database, row: unknown): boolean {
  const { scope } = row as { readonly scope: string };
  const found = keys.prepare('SELECT key FROM keys WHERE scope = ?').pluck().get(scope) as Buffer;
  return found.equals(Buffer.alloc(32));
}

async function auditedTypes(): Promise<readonly string[]> {
  return (await new Auditor(service).pages('texts=false')).map(({ type }) => type);
}

/** As everywhere in a JSON answer. */
const spelt = (text: string): string => JSON.stringify(text).slice(1, -1);

function expectNoTextIn({ status, text }: Pick<Answer, 'status' | 'text'>, expected = 200): void {
  expect([status, story.texts.filter((each) => text.includes(spelt(each)))]).toEqual([
    expected,
    [],
  ]);
}

describe('a key that was put back opens nothing that the log says is erased', () => {
  it.each([
    ['a page', 'limit=1000', {}],
    ['an export', '', { accept: 'application/x-ndjson' }],
  ])('in the log: %s', async (_, parameters, headers) => {
    const answer = await new Auditor(service).get(parameters, headers);
    expect(answer.text).toContain('"texts-erased"');
    expectNoTextIn(answer);
  });

  it('in the log: the pages of its stream', async () => {
    const stream = `interaction-${story.document.interactionId}`;
    const events = await new Auditor(service, AUDITS_ALL).pages(`stream=${stream}&limit=2`);
    expect(events.length).toBeGreaterThan(5);
    expect(events.filter(({ data: { texts } }) => typeof texts === 'object' && texts)).toEqual([]);
  });

  it('in the document, its past and its revisions', async () => {
    const path = pathOf(story.document);
    for (const rest of ['', `?at=${before}`, '/revisions', '/revisions/1']) {
      expectNoTextIn(await partner.get(`${path}${rest}`), 410);
    }
  });

  it('in its status, its events, its evidence and the list', async () => {
    const path = pathOf(story.document);
    for (const rest of ['/status', '/events', '/evidence']) {
      expectNoTextIn(await partner.get(`${path}${rest}`));
    }
    expect((await partner.get(`${path}/evidence`)).body['dataKey']).toBeNull();
    expectNoTextIn(await partner.get('/v1/interactions'));
  });

  it('in an approval under it', async () => {
    const answer = await (await Approver.of(service)).read(denied.invocationId);
    expect(answer.body).toMatchObject({ entries: null, reason: null });
    expectNoTextIn(answer);
  });

  it('in the answer to a decision that is sent once more', async () => {
    const approver = await Approver.of(service);
    const answer = await approver.decide(denied, 'deny', { reason: story.denied });
    expect(answer.headers.get('idempotency-replayed')).toBe('true');
    expect(answer.body).toMatchObject({ state: 'denied', entries: null, reason: null });
    expectNoTextIn(answer);
  });

  it('in the answer to any act that is sent once more', async () => {
    expect(retries).toHaveLength(6);
    for (const retry of retries) {
      const answer = await retry();
      expect(answer.body['code']).toBe('interaction-erased');
      expectNoTextIn(answer, 410);
    }
  });
});
