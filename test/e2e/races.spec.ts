import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FederatedInteraction } from '../../src/kernel/federated-interaction.js';
import { startTestService, type Answer, type InProcessService } from '../support/service.js';
import { emitted, eventTypes, refused } from './support/expectations.js';
import { contractOf, headOf, Negotiator, newest, pathOf } from './support/negotiator.js';

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

const ROUNDS = 200;

/** Names the head by `If-Match` in place of the body's member. */
async function etagOf(document: FederatedInteraction): Promise<string> {
  return (await alpha.get(pathOf(document))).headers.get('etag') ?? '';
}

describe('case 6: accept(r1), revise(r1) and cancel fired together', () => {
  it(`has one winner in each of ${String(ROUNDS)} rounds, and the losers learn the head`, async () => {
    const wins: Record<string, number> = {};
    for (let round = 0; round < ROUNDS; round++) {
      const pending = emitted(await alpha.propose(contractOf([alpha, beta]), beta), 201);
      const byHeader = round % 2 === 1;
      const headers = byHeader ? { 'if-match': await etagOf(pending) } : {};
      const fire = (act: string, who: Negotiator, body: object): Promise<Answer> =>
        who.post(`${pathOf(pending)}/${act}`, byHeader ? { ...body, head: undefined } : body, {
          headers,
        });
      const changed = { ...newest(pending).contract, retentionDays: 1 };
      const shots = [
        (): Promise<Answer> => fire('acceptances', beta, beta.consent(pending)),
        (): Promise<Answer> => fire('revisions', beta, beta.revision(pending, changed)),
        (): Promise<Answer> => fire('cancellation', alpha, alpha.cancellation(pending)),
      ];
      // Each goes first in a third of the rounds.
      const order = [0, 1, 2].map((each) => (each + round) % 3);
      const answers: (Answer | undefined)[] = [];
      await Promise.all(
        order.map(async (each) => {
          answers[each] = await shots[each]?.();
        }),
      );

      const after = emitted(await alpha.get(pathOf(pending)), 200);
      const winners = answers.filter((answer) => answer !== undefined && answer.status < 300);
      expect(winners).toHaveLength(1);
      expect(winners[0]?.body).toEqual(after);
      for (const answer of answers) {
        if (answer === undefined || answer === winners[0]) continue;
        const { code, head } = answer.body;
        expect(head).toEqual(headOf(after));
        // Whoever finds the interaction cancelled learns that before anything else.
        const expected = byHeader ? [412, 'precondition-failed'] : [409, 'head-changed'];
        const ended = [409, 'interaction-ended'];
        expect([answer.status, code]).toEqual(after.status === 'cancelled' ? ended : expected);
      }
      // Never two successors of one revision.
      const numbers = after.contractRevisions.map(({ revision }) => revision);
      expect(numbers).toEqual(after.status === 'pending' ? [1, 2] : [1]);
      const winner = (await eventTypes(pending, alpha)).at(-1);
      wins[String(winner)] = (wins[String(winner)] ?? 0) + 1;
    }
    expect(Object.values(wins).reduce((sum, each) => sum + each, 0)).toBe(ROUNDS);
    expect(Object.keys(wins).length).toBeGreaterThan(1);
  }, 120_000);
});

describe('races', () => {
  it('of two acceptances of one hash are none: both win', async () => {
    for (let round = 0; round < 20; round++) {
      const terms = contractOf([alpha, beta, gamma]);
      const pending = emitted(await alpha.propose(terms, beta), 201);
      const answers = await Promise.all([beta.accept(pending), gamma.accept(pending)]);
      expect(answers.map(({ status }) => status)).toEqual([201, 201]);
      expect((await alpha.get(pathOf(pending))).body['status']).toBe('active');
    }
  }, 60_000);

  it('for one interaction id have one winner; the others get one generic conflict', async () => {
    const terms = contractOf([alpha, beta]);
    const ids = { interactionId: terms.interactionId };
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => {
        const [who, other] = index % 2 === 0 ? [alpha, beta] : [gamma, beta];
        return who.propose(contractOf([who, other], { ...ids, retentionDays: index }), other);
      }),
    );
    const winners = answers.filter(({ status }) => status === 201);
    expect(winners).toHaveLength(1);
    const losers = answers.filter(({ status }) => status !== 201);
    for (const loser of losers) refused(loser, 409, 'interaction-exists');
    const texts = losers.map(({ body }) => JSON.stringify({ ...body, correlationId: '' }));
    expect(new Set(texts).size).toBe(1);
  });

  it('of completions and a cancellation end in one terminal status', async () => {
    for (let round = 0; round < 30; round++) {
      const pending = emitted(await alpha.propose(contractOf([alpha, beta]), beta), 201);
      const agreed = emitted(await beta.accept(pending), 201);
      const reported = emitted(await beta.complete(agreed), 200);
      const answers = await Promise.all(
        round % 2 === 0
          ? [alpha.complete(reported), beta.cancel(reported)]
          : [beta.cancel(reported), alpha.complete(reported)],
      );
      const won = answers.filter(({ status }) => status === 200);
      const [lost] = answers.filter(({ status }) => status !== 200);
      expect(won).toHaveLength(1);
      if (lost !== undefined) refused(lost, 409, 'interaction-ended');
      const { body } = await alpha.get(pathOf(pending));
      expect(body).toEqual(won[0]?.body);
    }
  }, 60_000);
});
