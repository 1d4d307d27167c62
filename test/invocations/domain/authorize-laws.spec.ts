import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Authorization } from '../../../src/invocations/domain/authorization.js';
import type { Contract } from '../../../src/kernel/federated-interaction.js';
import type { JsonObject } from '../../../src/kernel/json.js';
import { timestampOf, type Timestamp } from '../../../src/kernel/timestamp.js';
import { RUNS } from '../../support/property-runs.js';
import { agreed, IN_TIME, interactionIdOf, type Agreement } from '../support/agreements.js';
import {
  ask,
  foundBetween,
  questionOf,
  reconciling,
  type Question,
} from '../support/authorization-questions.js';
import { invokedOn } from '../support/invoked-on.js';
import { plainlyAuthorize } from '../support/plain-authorize.js';
import { BROKER, HOSTED, PARTNER, VOCABULARY } from './authorization-matrix.js';

const DAY = 24 * 60 * 60 * 1000;
const BEGIN = Date.parse(IN_TIME);

const moments = fc.integer({ min: -3, max: 3 }).map((days) => timestampOf(BEGIN + days * DAY));
const words = (...rare: readonly string[]): fc.Arbitrary<string[]> =>
  fc.uniqueArray(fc.constantFrom(...VOCABULARY, ...rare), { maxLength: 3 });
/** Mostly what the capability asks for, so that grants are no rarity. */
const allowed = (word: string): fc.Arbitrary<string[]> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant<string[]>([word]) },
    { weight: 1, arbitrary: words() },
  );
const prohibited = fc.oneof(
  { weight: 9, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: words('prose') },
);

const terms: fc.Arbitrary<Partial<Contract>> = fc
  .record({
    allowedActions: allowed('reconcile'),
    allowedData: allowed('invoices'),
    prohibitedActions: prohibited,
    prohibitedData: prohibited,
    humanApprovalRequirements: words('prose'),
    delegationRules: fc.constantFrom([], ['ledger'], ['ledger'], ['ask ledger', 'pay']),
    deadline: fc.option(moments, { nil: undefined }),
  })
  .map(({ deadline, ...rest }) => ({ ...rest, ...(deadline && { deadline }) }));

const roles: fc.Arbitrary<Pick<Agreement, 'initiator' | 'responder' | 'others'>> = fc.constantFrom(
  { initiator: PARTNER, responder: HOSTED },
  { initiator: PARTNER, responder: HOSTED },
  { initiator: HOSTED, responder: PARTNER },
  { initiator: BROKER, responder: HOSTED, others: [PARTNER] },
  { initiator: BROKER, responder: HOSTED },
);

const agreements: fc.Arbitrary<readonly Agreement[]> = fc
  .array(fc.record({ roles, terms, expiresAt: moments }), { maxLength: 5 })
  .map((each) => each.map(({ roles: who, ...rest }, n) => ({ name: `c${n}`, ...who, ...rest })));

interface Situation {
  readonly between: readonly Agreement[];
  readonly callers: 'initiator' | 'any-party';
  /** What its backend says of itself; null: it has none. */
  readonly backend: JsonObject | null;
  readonly now: Timestamp;
  /** The index of one of them that is named. */
  readonly named: number | null;
}

const situations: fc.Arbitrary<Situation> = fc.record({
  between: agreements,
  callers: fc.constantFrom('initiator' as const, 'any-party' as const),
  backend: fc.constantFrom<JsonObject | null>(
    null,
    { type: 'http', name: 'ledger' },
    { type: 'a2a', name: 'ledger' },
    { type: 'a2a' },
  ),
  now: moments,
  named: fc.option(fc.integer({ min: 0, max: 4 })),
});

function posed({ between, callers, backend, now, named }: Situation): Question {
  const question = questionOf({ name: '', now, expected: { grant: 'entitlement' } });
  const interactions = between.map(agreed);
  const meant = named === null ? null : interactionIdOf(`c${named}`);
  return {
    ...question,
    capability: reconciling({ callers, directInvoke: backend && invokedOn(backend) }),
    pair: {
      ...question.pair,
      contracts: foundBetween(interactions),
      named: interactions.find(({ interactionId }) => interactionId === meant),
    },
    request: { named: meant && { interactionId: meant, termsHash: null } },
  };
}

function inShort(decision: Authorization): string {
  if (decision.kind === 'grant') return decision.terms!.interactionId;
  const { code } = decision;
  return code === 'contract-not-found' || code === 'contract-expired' ? 'named in vain' : code;
}

function law(holds: (situation: Situation) => void): void {
  fc.assert(fc.property(situations, holds), RUNS);
}

describe('authorize', () => {
  it('decides as the rules do when each is asked of each contract', () => {
    law((situation) => {
      const question = posed(situation);
      expect(inShort(ask(question))).toBe(plainlyAuthorize(question));
    });
  });

  it('grants under terms that were agreed, and whose deciding rule can be looked up', () => {
    law((situation) => {
      const question = posed(situation);
      const decision = ask(question);
      if (decision.terms === null) return;
      const found = question.pair.contracts.active.find(
        ({ interaction }) => interaction.interactionId === decision.terms!.interactionId,
      )!;
      expect(found.interaction.revisions[0]!.termsHash).toBe(decision.terms.termsHash);
      expect(question.now < found.interaction.expiresAt).toBe(true);
    });
  });

  it('never grants because of one more prohibition', () => {
    fc.assert(
      fc.property(
        situations,
        fc.nat(),
        fc.constantFrom('prohibitedActions' as const, 'prohibitedData' as const),
        fc.constantFrom(...VOCABULARY, 'prose'),
        (situation, index, list, entry) => {
          fc.pre(situation.between.length > 0);
          const at = index % situation.between.length;
          const between = situation.between.map((each, n) =>
            n === at
              ? { ...each, terms: { ...each.terms, [list]: [...each.terms![list]!, entry] } }
              : each,
          );
          const after = ask(posed({ ...situation, between }));
          if (ask(posed(situation)).kind === 'refusal') expect(after.kind).toBe('refusal');
        },
      ),
      RUNS,
    );
  });

  it('never refuses because of one more known identifier that is not the capability’s', () => {
    law((situation) => {
      const question = posed(situation);
      const before = ask(question);
      const vocabulary = new Set([...VOCABULARY, 'prose']);
      const after = ask({ ...question, pair: { ...question.pair, vocabulary } });
      if (before.kind !== 'grant') return;
      expect(after).toMatchObject({ kind: 'grant', terms: before.terms });
      const { approvals } = after as typeof before;
      expect(before.approvals).toEqual(expect.arrayContaining([...approvals]));
    });
  });

  it('grants nothing once every contract has expired', () => {
    law((situation) => {
      const now = timestampOf(BEGIN + 4 * DAY);
      expect(ask(posed({ ...situation, now })).kind).toBe('refusal');
    });
  });

  it('grants under a named contract whatever is granted under it unnamed', () => {
    law((situation) => {
      const unnamed = ask(posed({ ...situation, named: null }));
      if (unnamed.kind !== 'grant') return;
      const named = situation.between.findIndex(
        ({ name }) => interactionIdOf(name) === unnamed.terms!.interactionId,
      );
      expect(ask(posed({ ...situation, named }))).toEqual(unnamed);
    });
  });
});
