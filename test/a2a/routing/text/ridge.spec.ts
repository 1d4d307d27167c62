import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { invert, RidgeInverse } from '../../../../src/a2a/routing/text/ridge.js';
import { RUNS } from '../../../support/property-runs.js';

const LAMBDA = 0.5;

/** A kernel of points that crowd together, so that the matrix is far from a diagonal one. */
function kernel(i: number, j: number): number {
  const point = (n: number) => [Math.sin(n * 3.1), Math.cos(n * 1.7)] as const;
  const [a, b] = [point(i), point(j)];
  return Math.exp(-0.3 * ((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2));
}

function append(ridge: RidgeInverse, count: number): void {
  const before = ridge.size;
  const cross = Float64Array.from({ length: before * count }, (_, at) =>
    kernel(Math.floor(at / count), before + (at % count)),
  );
  const own = Float64Array.from({ length: count * count }, (_, at) =>
    kernel(before + Math.floor(at / count), before + (at % count)),
  );
  Array.from(ridge.add(cross, own, count));
}

function direct(rows: readonly number[]): Float64Array {
  const size = rows.length;
  return invert(
    Float64Array.from({ length: size * size }, (_, at) => {
      const [i, j] = [Math.floor(at / size), at % size];
      return kernel(rows[i]!, rows[j]!) + (i === j ? LAMBDA : 0);
    }),
    size,
  );
}

function worstDifference(ridge: RidgeInverse, rows: readonly number[]): number {
  const expected = direct(rows);
  return ridge
    .block(rows)
    .reduce((worst, value, at) => Math.max(worst, Math.abs(value - expected[at]!)), 0);
}

describe('the inverse that grows', () => {
  it('is that of a fit from scratch, whatever came and went', () => {
    const changes = fc.array(
      fc.record({ add: fc.integer({ min: 1, max: 9 }), remove: fc.nat({ max: 5 }) }),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(changes, fc.integer({ min: 1, max: 20 }), (steps, capacity) => {
        const ridge = new RidgeInverse(LAMBDA, capacity);
        let live: number[] = [];
        for (const { add, remove } of steps) {
          live.push(...Array.from({ length: add }, (_, i) => ridge.size + i));
          append(ridge, add);
          const gone = live.filter((row) => row % 3 === 0).slice(0, remove);
          Array.from(ridge.remove(gone));
          live = live.filter((row) => !gone.includes(row));
        }
        if (live.length > 0) expect(worstDifference(ridge, live)).toBeLessThan(1e-9);
      }),
      RUNS,
    );
  });

  it('stays exact over hundreds of texts', () => {
    const ridge = new RidgeInverse(LAMBDA, 10);
    for (let block = 0; block < 12; block++) append(ridge, 32);
    const rows = Array.from({ length: ridge.size }, (_, row) => row);
    expect(worstDifference(ridge, rows)).toBeLessThan(1e-9);
  });

  it('leaves zero rows where texts went', () => {
    const ridge = new RidgeInverse(LAMBDA, 4);
    append(ridge, 6);
    Array.from(ridge.remove([1, 4]));
    expect(Math.max(...ridge.row(1), ...ridge.row(4))).toBe(0);
    expect(ridge.row(0)[4]).toBe(0);
  });
});
