import { describe, expect, it } from '@jest/globals';
import {
  AUTHORIZATION_CODES,
  type Authorization,
  type GoverningTerms,
} from '../../../src/invocations/domain/authorization.js';
import { authorize, callingAgentOf } from '../../../src/invocations/domain/authorize.js';
import { agreed, interactionIdOf, read, revisionOf } from '../support/agreements.js';
import { ask, questionOf, reconciling, type Question } from '../support/authorization-questions.js';
import {
  AUTHORIZATION_MATRIX,
  HOSTED,
  PARTNER,
  type AuthorizationCase,
} from './authorization-matrix.js';

const ROWS = Object.values(AUTHORIZATION_MATRIX).flat();

function termsOf(
  row: AuthorizationCase,
  name: string | undefined,
  number = 1,
): GoverningTerms | null {
  const agreement = row.between?.find((each) => each.name === name);
  if (agreement === undefined) return null;
  const { revision, termsHash } = revisionOf(agreed(agreement), number);
  return { interactionId: interactionIdOf(agreement.name), revision, termsHash };
}

/** The whole decision that a row expects. */
function expectedOf(row: AuthorizationCase, { capability, pair }: Question): Authorization {
  const { expected } = row;
  const terms = termsOf(row, expected.by, expected.revision);
  if ('grant' in expected) {
    const { grant: rule, approvals = [] } = expected;
    return { kind: 'grant', rule, capability: capability!, terms, approvals };
  }
  const { refusal: code, entry = null, isParty = pair.contracts.hadAny, among } = expected;
  const named = among?.map((name) => termsOf(row, name)!);
  return { kind: 'refusal', code, terms, entry, isParty, ...(named && { among: named }) };
}

function sorted(decision: Authorization): Authorization {
  if (decision.kind === 'grant' || decision.among === undefined) return decision;
  const among = [...decision.among].sort((a, b) => (a.interactionId < b.interactionId ? -1 : 1));
  return { ...decision, among };
}

describe.each(Object.entries(AUTHORIZATION_MATRIX))('authorize: %s', (_, rows) => {
  it.each(rows.map((row) => [row.name, row] as const))('%s', (__, row) => {
    const question = questionOf(row);
    expect(sorted(ask(question))).toEqual(sorted(expectedOf(row, question)));
  });
});

describe('the decision matrix', () => {
  it('has a row for every refusal, and for both grants', () => {
    const refused = ROWS.map(({ expected }) => 'refusal' in expected && expected.refusal);
    for (const code of AUTHORIZATION_CODES) expect(refused).toContain(code);
    const granted = ROWS.map(({ expected }) => 'grant' in expected && expected.grant);
    for (const rule of ['entitlement', 'allowed-action']) expect(granted).toContain(rule);
  });

  it('has no two rows of one name', () => {
    expect(new Set(ROWS.map(({ name }) => name)).size).toBe(ROWS.length);
  });

  it('says the same of contracts in any order', () => {
    for (const row of ROWS) {
      const question = questionOf(row);
      const { pair } = question;
      const contracts = { ...pair.contracts, active: [...pair.contracts.active].reverse() };
      expect(ask({ ...question, pair: { ...pair, contracts } })).toEqual(ask(question));
    }
  });

  it('says the same when it is asked again, and whatever was asked before', () => {
    for (const row of ROWS) {
      const question = questionOf(row);
      const first = ask(question);
      const { requiresContract, ...rest } = question.capability?.manifest ?? reconciling().manifest;
      const other = { ...reconciling(), manifest: { ...rest, requiresContract, action: 'pay' } };
      ask({ ...question, capability: other });
      ask({ ...question, pair: { ...question.pair, vocabulary: new Set() } });
      expect(ask(question)).toEqual(first);
    }
  });

  it('is decided without the contracts exactly where no agent need be looked at', () => {
    for (const row of ROWS) {
      const question = questionOf(row);
      const { capability, caller, request, now } = question;
      if (callingAgentOf(capability, caller, request) !== null) continue;
      expect(authorize(capability, caller, null, request, now)).toEqual(ask(question));
    }
  });

  it('grants nothing under what is not active, whoever says so', () => {
    const row = { name: '', expected: { grant: 'allowed-action' } } as const;
    for (const became of ['cancelled', 'completed', 'expired', 'pending'] as const) {
      const question = questionOf(row);
      const interaction = agreed({
        ...{ name: 'ours', initiator: PARTNER, responder: HOSTED, became },
        terms: { allowedActions: ['reconcile'], allowedData: ['invoices'] },
      });
      const contracts = { active: [read(interaction)], hadAny: true, isReliable: true };
      const decision = ask({ ...question, pair: { ...question.pair, contracts } });
      expect(decision).toMatchObject({ code: 'contract-required' });
    }
  });

  it('grants nothing under a contract that was not looked at', () => {
    for (const row of ROWS) {
      const { capability, caller, request, now } = questionOf(row);
      const blind = authorize(capability, caller, null, request, now);
      const mustLook = callingAgentOf(capability, caller, request) !== null;
      if (mustLook) expect(blind).toMatchObject({ code: 'contract-unreadable' });
    }
  });
});
