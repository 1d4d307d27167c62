import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestService, type InProcessService } from '../support/service.js';
import { emitted, refused } from './support/expectations.js';
import { contractOf, Negotiator } from './support/negotiator.js';

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

const criteria = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `c${String(index)}`);

describe('terms of thousands of entries', () => {
  it('are refused when no report on them could be sent', async () => {
    const terms = contractOf([alpha, beta], { successCriteria: criteria(6_000) });
    const answer = await alpha.propose(terms, beta);
    refused(answer, 422, 'contract-invalid');
    expect(answer.body['errors']).toContainEqual(
      expect.objectContaining({ pointer: '/contract/successCriteria' }),
    );
    const pending = emitted(await alpha.propose(contractOf([alpha, beta]), beta), 201);
    const { interactionId } = pending;
    refused(await beta.revise(pending, { ...terms, interactionId }), 422, 'contract-invalid');
  });

  it('are completed by reports on all of them otherwise', async () => {
    const terms = contractOf([alpha, beta], { successCriteria: criteria(3_500) });
    const pending = emitted(await alpha.propose(terms, beta), 201);
    const agreed = emitted(await beta.accept(pending), 201);
    const reported = emitted(await alpha.complete(agreed), 200);
    expect(emitted(await beta.complete(reported), 200).status).toBe('completed');
  });
});
