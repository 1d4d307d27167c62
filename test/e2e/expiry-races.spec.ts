import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FederatedInteraction } from '../../src/kernel/federated-interaction.js';
import { startTestService, type Answer, type InProcessService } from '../support/service.js';
import { emitted, eventTypes, refused } from './support/expectations.js';
import { contractOf, headOf, inFuture, Negotiator, pathOf } from './support/negotiator.js';

let service: InProcessService;
let alpha: Negotiator;
let beta: Negotiator;
/** Another process's, which holds the log's lock for a while. */
let log: Database.Database;

beforeAll(async () => {
  service = await startTestService();
  alpha = await Negotiator.register(service, 'alpha');
  beta = await Negotiator.register(service, 'beta');
  log = new Database(join(service.folder, 'events.db'));
});

afterAll(async () => {
  log.close();
  await service.dispose();
});

const LIFE_MS = 1_000;
/** Before the deadline and after it: what was judged before is not in the log until then. */
const HELD_MS = 150;

async function pendingUntil(): Promise<[FederatedInteraction, deadline: number]> {
  const expiresAt = inFuture(LIFE_MS);
  const terms = contractOf([alpha, beta]);
  const pending = emitted(
    await alpha.post('/v1/interactions', alpha.proposal(terms, beta, expiresAt)),
    201,
  );
  return [pending, Date.parse(expiresAt)];
}

/** What is asked for after the deadline, while an act that came before it waits for the log. */
async function overtake<T>(
  deadline: number,
  act: () => Promise<Answer>,
  ask: () => Promise<T>,
): Promise<[Answer, T]> {
  await delay(deadline - HELD_MS - Date.now());
  log.exec('BEGIN IMMEDIATE');
  const acted = act();
  await delay(deadline + HELD_MS - Date.now());
  const asked = ask();
  await delay(HELD_MS);
  log.exec('COMMIT');
  return Promise.all([acted, asked]);
}

const ACTS: readonly (readonly [string, (on: FederatedInteraction) => Promise<Answer>])[] = [
  ['a cancellation', async (on) => alpha.cancel(on)],
  ['a rejection', async (on) => beta.reject(on)],
  ['an acceptance', async (on) => beta.accept(on)],
];

describe.each(ACTS)('%s that reaches the log after the deadline', (_, act) => {
  it('takes back nothing that a read has shown, and no cache keeps another end', async () => {
    const [pending, deadline] = await pendingUntil();
    const path = pathOf(pending);
    const [acted, [shown, status]] = await overtake(
      deadline,
      async () => act(pending),
      async () => Promise.all([beta.get(path), beta.get(`${path}/status`)]),
    );
    const after = await beta.get(path);
    expect(shown.body).toEqual(after.body);
    expect(status.body['status']).toBe(after.body['status']);
    expect(after.headers.get('etag')).toBe(shown.headers.get('etag'));
    const headers = { 'if-none-match': shown.headers.get('etag') ?? '' };
    expect((await beta.get(path, { headers })).status).toBe(304);
    if (acted.status < 300) {
      expect(await eventTypes(pending, alpha)).not.toEqual([
        'interaction-proposed',
        'interaction-expired',
      ]);
    } else {
      refused(acted, 409, 'interaction-ended');
      expect(await eventTypes(pending, alpha)).toEqual([
        'interaction-proposed',
        'interaction-expired',
      ]);
    }
  });
});

describe('a refusal because the interaction has ended', () => {
  it('names the head that stays', async () => {
    const [pending, deadline] = await pendingUntil();
    const [, late] = await overtake(
      deadline,
      async () => beta.accept(pending),
      async () => alpha.cancel(pending),
    );
    refused(late, 409, 'interaction-ended');
    const after = emitted(await alpha.get(pathOf(pending)), 200);
    expect(late.body['head']).toEqual(headOf(after));
  });
});

describe('an ETag of what has expired', () => {
  it('says so, and an act that names it learns the end and the head', async () => {
    const [pending, deadline] = await pendingUntil();
    await delay(deadline + 1 - Date.now());
    const expired = await alpha.get(pathOf(pending));
    const etag = expired.headers.get('etag') ?? '';
    expect(etag).toBe(`"2.expired.1.rejected.${pending.termsHash}"`);
    const body = { ...alpha.cancellation(pending), head: undefined };
    const answer = await alpha.post(`${pathOf(pending)}/cancellation`, body, {
      headers: { 'if-match': etag },
    });
    refused(answer, 409, 'interaction-ended');
    expect(answer.body['head']).toEqual({
      revision: 1,
      status: 'rejected',
      termsHash: pending.termsHash,
    });
  });
});
