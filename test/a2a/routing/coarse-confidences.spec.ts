import { expect, it } from '@jest/globals';
import { withCoarseConfidences } from '../../../src/a2a/routing/dto/coarse-confidences.js';
import type { ExplanationDocument } from '../../../src/a2a/routing/dto/explanation-document.js';
import type { Plain } from '../../../src/http/plain.js';

it('tells of confidences no more than who may use the skills needs to know', () => {
  const candidate = (skillId: string, confidence: number | null) => ({ skillId, confidence });
  const document = {
    agent: 'finance',
    decision: 'clarify',
    confidence: 3.8e-12,
    steps: [{ candidates: [candidate('a', 0.8437), candidate('b', 0.49), candidate('c', null)] }],
  } as unknown as Plain<ExplanationDocument>;
  expect(withCoarseConfidences(document)).toEqual({
    agent: 'finance',
    decision: 'clarify',
    confidence: 0,
    steps: [{ candidates: [candidate('a', 0.8), candidate('b', 0), candidate('c', null)] }],
  });
});
