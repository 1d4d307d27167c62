import { invert } from './ridge.js';

/** Scores of one text, a column for each class; columns from `skills` on are not skills. */
export interface Scores {
  readonly values: Float32Array;
  readonly skills: number;
}

/** Temperature at which scores become shares. */
const TEMPERATURE = 0.05;
/** What was left out of a score stands as this: nothing is lower. */
export const LEFT_OUT = -9;

const FEATURES = 3;
const PARAMETERS = FEATURES + 1;

/** A logistic regression over the features that was learned elsewhere. */
export interface Prior {
  readonly intercept: number;
  /** Of the features; then of ln(1 + examples per skill) and of how alike the skills are. */
  readonly coefficients: readonly number[];
  readonly mean: readonly number[];
  readonly deviation: readonly number[];
}

/** A text whose right answer is known: what its score says, and whether the best skill was right. */
export interface Sample {
  readonly features: readonly number[];
  readonly isRight: boolean;
  readonly weight: number;
}

/** The best skill of the scores, or -1 when there is none. */
export function bestSkill({ values, skills }: Scores): number {
  let best = -1;
  let highest = -Infinity;
  for (let column = 0; column < skills; column++) {
    const value = values[column] as number;
    if (value > highest) [best, highest] = [column, value];
  }
  return best;
}

/** Score of the best skill, its distance from the next best class, logarithm of its share. */
export function features(scores: Scores): readonly [number, number, number] {
  const best = bestSkill(scores);
  const top = scores.values[best] as number;
  let second = 0;
  let others = 0;
  for (let column = 0; column < scores.values.length; column++) {
    if (column === best) continue;
    const value = scores.values[column] as number;
    second = Math.max(second, value);
    others += Math.exp((value - top) / TEMPERATURE);
  }
  return [top, top - second, -Math.log1p(others)];
}

/** Shares of the classes but the best one. */
export function shares(scores: Scores, best: number): Float64Array {
  const result = Float64Array.from(scores.values, (value) => Math.exp(value / TEMPERATURE));
  result[best] = 0;
  const total = result.reduce((sum, value) => sum + value, 0);
  return total === 0 ? result : result.map((value) => value / total);
}

/**
 * How much samples must say against the prior: as if it rested on so many. Few examples move it a
 * little, many replace it.
 */
const PRIOR_STRENGTH = 10;
const ITERATIONS = 25;

/**
 * Turns scores into the probability that the best skill is right: logistic regression on the
 * samples, around a prior that registries of other skills gave.
 */
export class Confidence {
  readonly #parameters: Float64Array;

  /**
   * @param examples per skill, on average
   * @param likeness how sure a text is of another skill, on average, when its own is left out
   */
  constructor(
    private readonly prior: Prior,
    examples: number,
    likeness: number,
    samples: readonly Sample[],
  ) {
    const coefficient = (index: number) => prior.coefficients[index] as number;
    const centre = Float64Array.from({ length: PARAMETERS }, (_, index) =>
      index === 0
        ? prior.intercept +
          coefficient(FEATURES) * Math.log1p(examples) +
          coefficient(FEATURES + 1) * likeness +
          prior.mean.reduce((sum, mean, feature) => sum + mean * coefficient(feature), 0)
        : coefficient(index - 1) * (prior.deviation[index - 1] as number),
    );
    this.#parameters = fit(
      centre,
      samples.map((sample) => ({ ...sample, features: this.#standardize(sample.features) })),
    );
  }

  of(scores: Scores): number {
    return logistic(dotProduct(this.#parameters, this.#standardize(features(scores))));
  }

  #standardize(values: readonly number[]): readonly number[] {
    const { mean, deviation } = this.prior;
    return [
      1,
      ...values.map((value, i) => (value - (mean[i] as number)) / (deviation[i] as number)),
    ];
  }
}

/** Newton's method with steps halved until they lead down; the penalty makes it convex. */
function fit(centre: Float64Array, samples: readonly Sample[]): Float64Array {
  let parameters = centre.slice();
  let loss = penalizedLoss(parameters, centre, samples);
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    const step = newtonStep(parameters, centre, samples);
    let size = 1;
    let next = parameters;
    let nextLoss = Infinity;
    for (; size > 1e-3 && !(nextLoss < loss); size /= 2) {
      const length = size;
      next = parameters.map((value, i) => value - length * (step[i] as number));
      nextLoss = penalizedLoss(next, centre, samples);
    }
    if (!(nextLoss < loss - 1e-9)) break;
    [parameters, loss] = [next, nextLoss];
  }
  return parameters;
}

function newtonStep(
  parameters: Float64Array,
  centre: Float64Array,
  samples: readonly Sample[],
): Float64Array {
  const gradient = parameters.map((value, i) => PRIOR_STRENGTH * (value - (centre[i] as number)));
  const curvature = new Float64Array(PARAMETERS ** 2);
  for (let i = 0; i < PARAMETERS; i++) curvature[i * PARAMETERS + i] = PRIOR_STRENGTH;
  for (const { features: x, isRight, weight } of samples) {
    const chance = logistic(dotProduct(parameters, x));
    const error = weight * (chance - (isRight ? 1 : 0));
    const slope = weight * chance * (1 - chance);
    for (let i = 0; i < PARAMETERS; i++) {
      gradient[i] = (gradient[i] as number) + error * (x[i] as number);
      for (let j = 0; j < PARAMETERS; j++) {
        const at = i * PARAMETERS + j;
        curvature[at] = (curvature[at] as number) + slope * (x[i] as number) * (x[j] as number);
      }
    }
  }
  const inverse = invert(curvature, PARAMETERS);
  return gradient.map((_, i) => dotProduct(gradient, inverse.subarray(i * PARAMETERS)));
}

function penalizedLoss(
  parameters: Float64Array,
  centre: Float64Array,
  samples: readonly Sample[],
): number {
  let loss = 0;
  parameters.forEach((value, i) => {
    loss += (PRIOR_STRENGTH / 2) * (value - (centre[i] as number)) ** 2;
  });
  for (const { features: x, isRight, weight } of samples) {
    const logit = dotProduct(parameters, x) * (isRight ? 1 : -1);
    // ln(1 + exp(−logit)) without overflow.
    loss += weight * (Math.log1p(Math.exp(-Math.abs(logit))) + Math.max(0, -logit));
  }
  return loss;
}

function dotProduct(left: Float64Array, right: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < left.length; i++) sum += (left[i] as number) * (right[i] as number);
  return sum;
}

function logistic(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}
