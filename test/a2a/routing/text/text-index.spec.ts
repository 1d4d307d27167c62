import { describe, expect, it } from '@jest/globals';
import type { SkillTexts } from '../../../../src/a2a/routing/text-classifier.js';
import { readAssets } from '../../../../src/a2a/routing/text/assets.js';
import { IndexBuilder } from '../../../../src/a2a/routing/text/index-builder.js';
import { learnedSkills } from '../../../../src/a2a/routing/text/learned-skills.js';
import type { IndexShape, SkillIndex } from '../../../../src/a2a/routing/text/skill-index.js';
import type { Steps } from '../../../../src/a2a/routing/text/steps.js';
import { FEW, FLIGHT, ids, LEAVE, LOOKUP, many, PASSWORD, skill } from './support/skills.js';

const builder = new IndexBuilder(readAssets(), undefined);
const learn = (skills: readonly SkillTexts[]) => learnedSkills(skills, 2_400);

function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

const build = (skills: readonly SkillTexts[], shape: IndexShape = 'words-small'): SkillIndex =>
  finish(builder.build(shape, learn(skills)));
const all = new Set(ids(FEW));

describe('an index of words', () => {
  const index = build(FEW);

  it.each([
    ['please show the invoice of globex', 'lookup-invoice'],
    ['i have to fly to oslo, book me a seat', 'book-flight'],
    ['help, i forgot the password', 'reset-password'],
    ['two weeks of holiday please', 'request-leave'],
  ])('takes %j for %s', (text, expected) => {
    const { ranked, foreign } = index.classify(text, all);
    expect(ranked[0]).toMatchObject({ skillId: expected });
    expect(ranked[0]!.confidence).toBeGreaterThan(0.6);
    expect(foreign).toBe(false);
  });

  it.each(['how tall is the eiffel tower', 'счёт за март', '猫', 'zzz qqq xxx'])(
    'is not sure of %j',
    (text) => {
      expect(index.classify(text, all).ranked[0]!.confidence).toBeLessThan(0.6);
    },
  );

  it('ranks best first, with confidences that are no more than one together', () => {
    const { ranked } = index.classify('book a seat on a plane', all);
    const confidences = ranked.map(({ confidence }) => confidence);
    expect(confidences).toEqual(confidences.toSorted((a, b) => b - a));
    expect(confidences.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(1);
  });

  it('names candidates only, and says when the likeliest is none of them', () => {
    const verdict = index.classify('book a flight to lisbon', new Set(ids([LOOKUP, LEAVE])));
    expect(verdict.foreign).toBe(true);
    expect(verdict.ranked.map((one) => one.skillId).sort()).toEqual([
      'lookup-invoice',
      'request-leave',
    ]);
    expect(verdict.ranked[0]!.confidence).toBeLessThan(0.6);
  });

  it('has five candidates at most', () => {
    const skills = many(30);
    const large = build(skills, 'words-large');
    expect(large.classify('verb3 the noun3', new Set(ids(skills))).ranked).toHaveLength(5);
  });

  it('knows nothing without skills', () => {
    expect(build([]).classify('show the invoice', all)).toEqual({ ranked: [], foreign: false });
  });
});

describe('a change', () => {
  it('makes a new skill known, and an old one unknown', () => {
    const index = build([LOOKUP, FLIGHT, PASSWORD]);
    finish(index.change([FLIGHT.skillId], learn([LEAVE])));
    expect([...index.skills.keys()]).toEqual(ids([LOOKUP, PASSWORD, LEAVE]));
    expect(index.classify('i want my vacation in august', all).ranked[0]).toMatchObject({
      skillId: 'request-leave',
    });
    const after = index.classify('book a flight to lisbon', all);
    expect(after.ranked.map((one) => one.skillId)).not.toContain('book-flight');
    expect(index.isFresh).toBe(false);
  });

  it('comes to the verdicts of an index that learned it all at once', () => {
    const skills = many(14);
    const [changed, ...others] = skills;
    const before = skill('skill-0', 'Does something else.', ['anything', 'whatever', 'else']);
    const index = build([before, ...others], 'words-large');
    finish(index.change([before.skillId], learn([changed!])));
    const fresh = build(skills, 'words-large');
    for (const text of ['please verb0 the noun0', 'i want noun5 done']) {
      const [got, expected] = [index, fresh].map((one) => one.classify(text, new Set(ids(skills))));
      expect(got!.ranked[0]!.skillId).toBe(expected!.ranked[0]!.skillId);
      // Only the rarity of terms is as it was.
      expect(got!.ranked[0]!.confidence).toBeCloseTo(expected!.ranked[0]!.confidence, 1);
    }
  });

  it('leaves the index answering as before until it is done', () => {
    const index = build([LOOKUP, FLIGHT, PASSWORD]);
    const before = index.classify('book a flight to lisbon', all);
    const steps = index.change([FLIGHT.skillId], learn([LEAVE]));
    let pauses = 0;
    while (steps.next().done !== true) {
      pauses++;
      expect(index.classify('book a flight to lisbon', all)).toEqual(before);
    }
    expect(pauses).toBeGreaterThan(5);
    expect(index.classify('book a flight to lisbon', all)).not.toEqual(before);
  });
});

describe('an index that is changed over and over', () => {
  it('takes the rows of texts that stay, and says when too many are of texts that went', () => {
    const index = build(FEW);
    const renewed = (n: number) =>
      skill('book-flight', `Books flight number ${n}.`, FLIGHT.examples);
    for (let n = 0; n < 20; n++) finish(index.change([FLIGHT.skillId], learn([renewed(n)])));
    expect(index.isWorn).toBe(false);
    expect(index.classify('book a flight to lisbon', all).ranked[0]).toMatchObject({
      skillId: 'book-flight',
    });
    for (let n = 0; n < 80; n++) finish(index.change([FLIGHT.skillId], learn([renewed(100 + n)])));
    expect(index.isWorn).toBe(true);
  });
});

describe('warnings', () => {
  it('name skills with fewer than three examples', () => {
    const bare = skill('bare', 'Does something.', ['do it', 'do something']);
    expect(build([LOOKUP, bare]).warnings).toContainEqual({
      code: 'few-examples',
      skillId: 'bare',
      examples: 2,
    });
    expect(build(FEW).warnings.map(({ code }) => code)).not.toContain('few-examples');
  });

  it('name skills whose examples are taken for those of another', () => {
    const find = skill('find-bill', 'Looks up a bill.', [
      'show me invoice 9',
      'has the bill from globex been paid',
      'what is the total of the may invoice',
      'find the bill that acme sent us',
    ]);
    const { warnings } = build([LOOKUP, find, FLIGHT]);
    const pairs = warnings.filter(({ code }) => code === 'skills-overlap');
    expect(pairs).toContainEqual(
      expect.objectContaining({ skillId: 'find-bill', with: 'lookup-invoice' }),
    );
    expect(JSON.stringify(pairs)).not.toContain('book-flight');
  });
});

describe('a registry too large to be fitted', () => {
  const skills = many(1_000);
  const index = finish(builder.build(builder.shapesFor(learn(skills)).prompt, learn(skills)));

  it('is ranked, and never sure', () => {
    expect(index.shape).toBe('overlap');
    const { ranked } = index.classify('please verb777 the noun777', new Set(ids(skills)));
    expect(ranked[0]).toMatchObject({ skillId: 'skill-777' });
    expect(ranked[0]!.confidence).toBeLessThan(0.6);
  });

  it('says so, of all of them', () => {
    const [first] = index.warnings;
    expect(first).toEqual({ code: 'too-many-texts', texts: learn(skills).length * 3, most: 2_400 });
    const fitted = finish(builder.build('words-large', learn(many(30))));
    expect(fitted.warnings.map(({ code }) => code)).not.toContain('too-many-texts');
  });

  it('has the gate too, and follows changes', () => {
    const others = new Set(ids(skills.slice(0, 700)));
    expect(index.classify('verb777 the noun777', others).foreign).toBe(true);
    finish(index.change([skills[777]!.skillId], []));
    const { ranked } = index.classify('verb777 noun777', new Set(ids(skills)));
    expect(ranked.map((one) => one.skillId)).not.toContain('skill-777');
  });
});
