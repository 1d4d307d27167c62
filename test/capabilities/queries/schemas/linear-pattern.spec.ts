import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LinearPattern } from '../../../../src/capabilities/queries/schemas/linear-pattern.js';
import { WorkBudget } from '../../../../src/capabilities/queries/schemas/work-budget.js';

function linear(pattern: string, steps = 1_000_000): LinearPattern {
  const budget = new WorkBudget(steps);
  budget.renew();
  return new LinearPattern(pattern, budget);
}

const ATOMS = ['a', 'b', '.', '\\d', '[ab]', '[^a]', '\\.', '^', '$', '\\b', '\\B', '\\p{L}', '-'];
const QUANTIFIERS = ['*', '+', '?', '{2}', '{1,}', '{0,2}', '{2,3}', '*?', '+?', '{0}'];

const { pattern: somePattern } = fc.letrec<{ pattern: string; sequence: string; piece: string }>(
  (tie) => ({
    pattern: fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }).map((all) => all.join('|')),
    sequence: fc.array(tie('piece'), { maxLength: 4 }).map((pieces) => pieces.join('')),
    piece: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constantFrom(...ATOMS),
      fc
        .tuple(fc.constantFrom('a', '.', '[ab]', '\\w'), fc.constantFrom(...QUANTIFIERS))
        .map((parts) => parts.join('')),
      fc
        .tuple(fc.constantFrom('(', '(?:'), tie('pattern'), fc.constantFrom('', ...QUANTIFIERS))
        .map(([open, body, quantifier]) => `${open}${body})${quantifier}`),
    ),
  }),
);

describe('a linear pattern', () => {
  it('matches what the pattern of the language matches', () => {
    const someText = fc.string({ unit: fc.constantFrom('a', 'b', '1', '.', '-', '\n', '💶', 'é') });
    fc.assert(
      fc.property(somePattern, someText, (pattern, text) => {
        // V8 finds \B between the halves of a surrogate pair, where ECMA-262 never looks.
        fc.pre(!(pattern.includes('\\B') && text.includes('💶')));
        expect(linear(pattern).test(text)).toBe(new RegExp(pattern, 'u').test(text));
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['^INV-\\d{5}$', ['INV-20931'], ['INV-2093', 'XINV-20931']],
    ['^[a-z0-9]+(-[a-z0-9]+)*$', ['kebab-case-2'], ['kebab-', '-a', 'A']],
    ['^(?<year>\\d{4})-(?:0[1-9]|1[0-2])$', ['2030-12'], ['2030-13', '30-12']],
    ['^\\u{1F4B6}\\x41\\u0042$', ['💶AB'], ['AB']],
    ['^\\uD83D\\uDCB6$', ['💶'], ['\ud83d']],
    ['[\\]a-]', [']', '-'], ['b']],
    ['', ['', 'anything'], []],
  ])('%s', (pattern, matching, others) => {
    expect(matching.map((text) => linear(pattern).test(text))).toEqual(matching.map(() => true));
    expect(others.map((text) => linear(pattern).test(text))).toEqual(others.map(() => false));
  });

  it.each(['^(a+)+$', '^(a|a)*$', '^(.*a){20}$', '(x+x+)+y', '^(([a-z])+.)+[A-Z]([a-z])+$'])(
    '%s does not take for ever',
    (pattern) => {
      const begun = performance.now();
      expect(linear(pattern).test(`${'a'.repeat(5_000)}!`)).toBe(false);
      expect(performance.now() - begun).toBeLessThan(2_000);
    },
  );

  it.each(['(a)\\1', '(?<n>a)\\k<n>', '(?=a)', '(?!a)', '(?<=a)b', '(?<!a)b', '(a{1000}){1000}'])(
    '%s is not taken',
    (pattern) => {
      expect(() => linear(pattern)).toThrow();
    },
  );

  it.each(['(', '[', 'a{', '*', '\\q', '(?:a'])('%s is no pattern', (pattern) => {
    expect(() => linear(pattern)).toThrow(SyntaxError);
  });

  it('is read in time, however deeply it is nested', () => {
    const begun = performance.now();
    expect(() => linear(`${'('.repeat(1_000)}a${')+'.repeat(1_000)}`)).toThrow('too large');
    expect(performance.now() - begun).toBeLessThan(1_000);
  });

  it('ends when its steps are spent', () => {
    expect(() => linear('a+b', 100).test('a'.repeat(1_000))).toThrow('too many steps');
  });
});
