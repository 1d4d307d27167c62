import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readAssets } from '../../../../src/a2a/routing/text/assets.js';
import {
  bestSkill,
  Confidence,
  features,
  shares,
  type Sample,
} from '../../../../src/a2a/routing/text/confidence.js';
import { RUNS } from '../../../support/property-runs.js';

const prior = readAssets().priors.encoded.large;
const scores = (...values: number[]) => ({
  values: Float32Array.from(values),
  skills: values.length,
});

describe('scores', () => {
  it('have a best skill, which is never another class', () => {
    expect(bestSkill(scores(0.1, 0.7, 0.3))).toBe(1);
    expect(bestSkill({ values: Float32Array.of(0.1, 0.9), skills: 1 })).toBe(0);
    expect(bestSkill({ values: Float32Array.of(0.9), skills: 0 })).toBe(-1);
  });

  it('say how far the best is ahead, of classes that are no skills too', () => {
    const [top, margin] = features({ values: Float32Array.of(0.5, 0.75), skills: 1 });
    expect([top, margin]).toEqual([0.5, -0.25]);
  });

  it('share what the best one leaves', () => {
    const others = shares(scores(0.9, 0.2, 0.2), 0);
    expect([...others]).toEqual([0, 0.5, 0.5]);
    expect([...shares(scores(0.9), 0)]).toEqual([0]);
  });
});

describe('confidence', () => {
  const ofPrior = new Confidence(prior, 5, 0.15, []);

  it('is higher for a better score that is further ahead', () => {
    expect(ofPrior.of(scores(0.8, 0.05, 0.05))).toBeGreaterThan(0.9);
    expect(ofPrior.of(scores(0.15, 0.14, 0.13))).toBeLessThan(0.5);
  });

  it('follows many examples, and a few only a little', () => {
    const wrong = (count: number): Sample[] =>
      Array.from({ length: count }, () => ({
        features: features(scores(0.5, 0.2, 0.1)),
        isRight: false,
        weight: 1,
      }));
    const asked = scores(0.5, 0.2, 0.1);
    const few = new Confidence(prior, 5, 0.15, wrong(2)).of(asked);
    const many = new Confidence(prior, 5, 0.15, wrong(500)).of(asked);
    expect(few).toBeGreaterThan(0.5);
    expect(many).toBeLessThan(0.1);
  });

  it('is a probability for whatever scores and samples there are', () => {
    const anyScores = fc
      .array(fc.double({ min: -9, max: 2, noNaN: true }), { minLength: 1, maxLength: 5 })
      .map((values) => scores(...values));
    const anySample = fc.record({
      features: anyScores.map((one) => features(one)),
      isRight: fc.boolean(),
      weight: fc.constantFrom(0.22, 1),
    });
    fc.assert(
      fc.property(fc.array(anySample, { maxLength: 20 }), anyScores, (samples, asked) => {
        const confidence = new Confidence(prior, 3, 0.2, samples).of(asked);
        expect(confidence).toBeGreaterThanOrEqual(0);
        expect(confidence).toBeLessThanOrEqual(1);
      }),
      RUNS,
    );
  });
});
