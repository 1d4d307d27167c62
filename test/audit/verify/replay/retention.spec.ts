import { expect, it } from '@jest/globals';
import type { FirstProposalData } from '../../../../src/audit/verify/replay/event-data.js';
import {
  begin,
  record,
  type LaterEvent,
} from '../../../../src/audit/verify/replay/interaction-fold.js';
import { contract } from '../../../support/interaction-fixtures.js';
import { golden } from '../../support/bundles.js';

const { events } = golden('rejected');
const [first] = events;
if (first === undefined) throw new Error('no event');
const proposal = first.data as unknown as FirstProposalData;
const placed = { envelope: first, index: 0, texts: undefined };

/** Proposed with the first days, then countered with each of the others, and rejected. */
function retained([days, ...more]: readonly number[]): number | null {
  const terms = (retentionDays = 0) => contract({ retentionDays });
  const state = begin(proposal, placed, terms(days), false);
  for (const other of more) {
    const data = { ...proposal, previousTermsHash: proposal.termsHash };
    record(state, { type: 'revision-proposed', data }, placed, terms(other));
  }
  record(state, { type: 'revision-rejected', data: {} } as LaterEvent, placed, null);
  return state.retentionDays;
}

it.each([
  [[0], 30],
  [[0, 29], 30],
  [[90, 0], 90],
  [[0, 366], 365],
  [[40_000, 0], 365],
])('of terms that nobody agreed to, %j, the texts are retained for %i days', (days, expected) => {
  expect(retained(days)).toBe(expected);
});
