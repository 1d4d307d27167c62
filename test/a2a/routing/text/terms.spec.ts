import { describe, expect, it } from '@jest/globals';
import { stem } from '../../../../src/a2a/routing/text/stemmer.js';
import { terms, words } from '../../../../src/a2a/routing/text/terms.js';
import { Postings } from '../../../../src/a2a/routing/text/postings.js';
import { TermStatistics } from '../../../../src/a2a/routing/text/term-statistics.js';

describe('stems', () => {
  // Examples of Porter's paper, one of each step.
  it.each([
    ['caresses', 'caress'],
    ['ponies', 'poni'],
    ['feed', 'feed'],
    ['agreed', 'agre'],
    ['plastered', 'plaster'],
    ['sing', 'sing'],
    ['conflated', 'conflat'],
    ['troubled', 'troubl'],
    ['hopping', 'hop'],
    ['falling', 'fall'],
    ['filing', 'file'],
    ['happy', 'happi'],
    ['sky', 'sky'],
    ['relational', 'relat'],
    ['conditional', 'condit'],
    ['rational', 'ration'],
    ['operator', 'oper'],
    ['callousness', 'callous'],
    ['triplicate', 'triplic'],
    ['electrical', 'electr'],
    ['goodness', 'good'],
    ['replacement', 'replac'],
    ['adoption', 'adopt'],
    ['probate', 'probat'],
    ['rate', 'rate'],
    ['controll', 'control'],
    ['roll', 'roll'],
  ])('of %s is %s', (word, expected) => {
    expect(stem(word)).toBe(expected);
  });

  it('leaves words of other letters alone', () => {
    expect(stem('größtes')).toBe('größtes');
    expect(stem('2024s')).toBe('2024s');
  });
});

describe('terms', () => {
  it('are stems, pairs of them and pieces of words', () => {
    const found = terms('Paying bills');
    expect(found.get('pai')).toBe(1);
    expect(found.get('pai bill')).toBe(0.5);
    expect(found.get('#<pa')).toBeCloseTo(0.3);
    expect(found.get('#ills>')).toBeCloseTo(0.3);
  });

  it('of a word never are those of another kind', () => {
    const kinds = [...terms('pay pa <pa').keys()].map((term) =>
      term.startsWith('#') ? 'piece' : term.includes(' ') ? 'pair' : 'stem',
    );
    expect(new Set(kinds)).toEqual(new Set(['piece', 'pair', 'stem']));
  });

  it('know words of every script', () => {
    expect(words('Überweisung—rechnung! счёт 猫です')).toEqual([
      'überweisung',
      'rechnung',
      'счёт',
      '猫です',
    ]);
  });

  it('are bounded, however long the text', () => {
    expect(terms('a'.repeat(1_000_000)).size).toBeLessThan(200);
    const many = Array.from({ length: 100_000 }, (_, i) => `word${i}`).join(' ');
    expect(words(many)).toHaveLength(128);
  });

  it.each(['', ' ', '!!!', '\ud800', '\u0000'])('of %j are none', (text) => {
    expect(terms(text).size).toBe(0);
  });
});

describe('vectors of terms', () => {
  const corpus = ['pay the bill', 'show the bill', 'the weather in rome'];
  const statistics = new TermStatistics(corpus);

  it('have unit length', () => {
    const squares = [...statistics.vector('pay the unknown bill').values()].map((v) => v * v);
    expect(squares.reduce((sum, square) => sum + square, 0)).toBeCloseTo(1);
    expect(statistics.vector('').size).toBe(0);
  });

  it('say more of rare terms', () => {
    const vector = statistics.vector('the weather');
    expect(vector.get('weather')).toBeGreaterThan(vector.get('the') ?? 1);
  });

  it('are found by what they share', () => {
    const postings = new Postings();
    corpus.forEach((text, row) => postings.add(row, statistics.vector(text)));
    const [first, second, third] = postings.cosines(statistics.vector('pay the bill'), 3);
    expect(first).toBeCloseTo(1);
    expect(second).toBeGreaterThan(third ?? 1);
    expect(postings.cosines(statistics.vector('pay the bill'), 1)).toHaveLength(1);
  });
});
