import { expect, it } from '@jest/globals';
import { AnswerBudget, type AnswerHolder } from '../../src/http/answer-budget.js';

const caller = (key: string, tenant = key): AnswerHolder => ({ kind: 'caller', tenant, key });

const ALICE = caller('alice');
const BOB = caller('bob');
const HERE: AnswerHolder = { kind: 'anonymous', address: '192.0.2.1' };
const THERE: AnswerHolder = { kind: 'anonymous', address: '192.0.2.2' };

function budget(): AnswerBudget {
  const anonymous = { anonymous: 30, perAddress: 20 };
  return new AnswerBudget({ perNode: 100, perTenant: 45, perCaller: 40, ...anonymous, first: 5 });
}

it('takes one answer of any size of whoever holds nothing, while the node holds nothing', () => {
  const answers = budget();
  const release = answers.hold(ALICE, 1000);
  expect(answers.hold(ALICE, 1)).toBeUndefined();
  expect(answers.hold(BOB, 1)).toBeUndefined();
  release?.();
  expect(answers.hold(BOB, 1000)).toBeDefined();
});

it('bounds what one caller holds, and no other', () => {
  const answers = budget();
  const release = answers.hold(ALICE, 30);
  expect(answers.room(ALICE)).toBe(10);
  expect(answers.hold(ALICE, 11)).toBeUndefined();
  expect(answers.hold(ALICE, 10)).toBeDefined();
  expect(answers.hold(BOB, 40)).toBeDefined();
  release?.();
  expect(answers.room(ALICE)).toBe(30);
});

it('bounds what callers without a token hold at one address, and together', () => {
  const answers = budget();
  answers.hold(HERE, 20);
  expect(answers.hold(HERE, 1)).toBeUndefined();
  const release = answers.hold(THERE, 10);
  expect(answers.hold(THERE, 1)).toBeUndefined();
  expect(answers.room(ALICE)).toBe(70);
  release?.();
  expect(answers.room(THERE)).toBe(10);
});

it('takes no caller for an address', () => {
  const answers = budget();
  answers.hold(caller('anonymous'), 40);
  expect(answers.room(HERE)).toBe(60);
  answers.hold({ kind: 'anonymous', address: 'alice' }, 20);
  expect(answers.room(ALICE)).toBe(40);
});

it('bounds what all callers of one tenant hold, and leaves the others what they may have', () => {
  const answers = budget();
  const [first, second] = [caller('first', 'acme'), caller('second', 'acme')];
  const release = answers.hold(first, 40);
  expect(answers.room(second)).toBe(5);
  expect(answers.hold(second, 6)).toBeUndefined();
  expect(answers.hold(second, 5)).toBeDefined();
  // Whoever of them holds nothing yet has a first answer all the same, up to as much again.
  let others = 0;
  while (answers.hold(caller(`other-${String(others)}`, 'acme'), 5) !== undefined) others++;
  expect(others).toBe(45 / 5);
  expect(answers.room(BOB)).toBe(10);
  release?.();
  expect(answers.hold(BOB, 40)).toBeDefined();
});

it('shuts nobody out who holds nothing, as long as others hold no more than twice what is shared', () => {
  const answers = budget();
  for (const bytes of [40, 40, 20]) {
    answers.hold(caller(`many-${String(answers.room(ALICE))}`), bytes);
  }
  expect(answers.room(ALICE)).toBe(5);
  expect(answers.hold(ALICE, 6)).toBeUndefined();
  expect(answers.hold(ALICE, 5)).toBeDefined();
  expect(answers.hold(ALICE, 1)).toBeUndefined();
  let holders = 0;
  while (answers.hold(caller(`more-${String(holders)}`), 5) !== undefined) {
    holders++;
  }
  expect(holders).toBeLessThan(100 / 5);
  expect(answers.room(BOB)).toBeLessThan(5);
});
