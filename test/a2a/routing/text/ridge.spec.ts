import { describe, expect, it } from '@jest/globals';
import { classesOf } from '../../../../src/a2a/routing/text/classes.js';
import { LeaveOneOut } from '../../../../src/a2a/routing/text/leave-one-out.js';
import { invert, RidgeInverse } from '../../../../src/a2a/routing/text/ridge.js';
import type { Steps } from '../../../../src/a2a/routing/text/steps.js';
import type { SkillId } from '../../../../src/kernel/ids.js';
import { skillId } from './support/skills.js';

const LAMBDA = 0.5;

/** A kernel of points that crowd together, so that the matrix is far from a diagonal one. */
function kernel(i: number, j: number): number {
  const point = (n: number) => [Math.sin(n * 3.1), Math.cos(n * 1.7)] as const;
  const [a, b] = [point(i), point(j)];
  return Math.fround(Math.exp(-0.3 * ((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2)));
}

function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Of the points named, some of them at a time. */
function inverseOf(points: readonly number[], block = 5): RidgeInverse {
  const ridge = new RidgeInverse(LAMBDA);
  const kernels = points.map((point, i) =>
    Float32Array.from(points.slice(0, i + 1), (other) => kernel(point, other)),
  );
  for (let at = 0; at < points.length; at += block) {
    finish(ridge.append(kernels.slice(at, at + block)));
  }
  return ridge;
}

const range = (length: number): number[] => Array.from({ length }, (_, i) => i);
const abc = ['a', 'b', 'c'].map(skillId);

/** The points, dealt out to three skills in turn. */
function classes(count: number) {
  const rowsOf = new Map<SkillId, number[]>();
  abc.forEach((id, i) =>
    rowsOf.set(
      id,
      range(count).filter((row) => row % 3 === i),
    ),
  );
  return classesOf(rowsOf, count);
}

/** Scores of a point by an index that holds the given ones, made from scratch. */
function scoresWithout(point: number, kept: readonly number[]): number[] {
  const inverse = invert(
    Float64Array.from({ length: kept.length ** 2 }, (_, at) => {
      const [i, j] = [Math.floor(at / kept.length), at % kept.length];
      return kernel(kept[i]!, kept[j]!) + (i === j ? LAMBDA : 0);
    }),
    kept.length,
  );
  return abc.map((_, column) =>
    kept.reduce((sum, other, i) => {
      const weight = kept.reduce(
        (total, label, j) => total + (label % 3 === column ? inverse[i * kept.length + j]! : 0),
        0,
      );
      return sum + kernel(point, other) * weight;
    }, 0),
  );
}

describe('the inverse that grows', () => {
  it('stays exact over hundreds of texts that are much alike', () => {
    const size = 160;
    const matrix = range(size).map((i) => range(size).map((j) => kernel(i, j)));
    const inverse = inverseOf(range(size)).block(range(size));
    let worst = 0;
    for (let i = 0; i < size; i++) {
      for (let j = 0; j < size; j++) {
        let product = i === j ? -1 : 0;
        for (let k = 0; k < size; k++) {
          product += inverse[i * size + k]! * (matrix[k]![j]! + (k === j ? LAMBDA : 0));
        }
        worst = Math.max(worst, Math.abs(product));
      }
    }
    expect(worst).toBeLessThan(1e-10);
  });

  it('has the block of any texts', () => {
    const ridge = inverseOf(range(9));
    const whole = ridge.block(range(9));
    const rows = [7, 2, 5];
    const expected = rows.flatMap((i) => rows.map((j) => whole[i * 9 + j]!));
    ridge.block(rows).forEach((value, at) => expect(value).toBeCloseTo(expected[at]!, 12));
  });

  it('weighs texts as the inverse says', () => {
    const ridge = inverseOf(range(9));
    const whole = ridge.block(range(9));
    const { columnOf, columns } = classes(9);
    const weights = finish(ridge.weights(classes(9)));
    for (const row of range(9)) {
      for (const column of range(columns)) {
        const own = range(9).filter((other) => columnOf[other] === column);
        const expected = own.reduce((sum, other) => sum + whole[row * 9 + other]!, 0);
        expect(weights[row * columns + column]).toBeCloseTo(expected, 4);
      }
    }
  });
});

describe('leaving out', () => {
  const count = 12;
  const ridge = inverseOf(range(count));
  const leaveOut = new LeaveOneOut(ridge, finish(ridge.weights(classes(count))), classes(count));

  it('a text scores as an index that never saw it', () => {
    for (const row of range(count)) {
      const expected = scoresWithout(
        row,
        range(count).filter((other) => other !== row),
      );
      [...leaveOut.text(row).values].forEach((score, column) => {
        expect(score).toBeCloseTo(expected[column]!, 4);
      });
    }
  });

  it('a skill scores as an index that never had it', () => {
    const rows = range(count).filter((row) => row % 3 === 1);
    const rest = range(count).filter((row) => row % 3 !== 1);
    leaveOut.wholeClass(rows).forEach(({ values }, i) => {
      const expected = scoresWithout(rows[i]!, rest);
      expect(values[0]).toBeCloseTo(expected[0]!, 4);
      expect(values[2]).toBeCloseTo(expected[2]!, 4);
      expect(values[1]).toBeLessThan(-1);
    });
  });
});
