import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DOUBLE, MatrixWorkspace, SINGLE } from '../../../../src/a2a/routing/text/matrix.js';
import { RUNS } from '../../../support/property-runs.js';

const sizes = fc.record({
  rows: fc.integer({ min: 1, max: 11 }),
  inner: fc.integer({ min: 1, max: 13 }),
  columns: fc.integer({ min: 1, max: 19 }),
  bias: fc.boolean(),
});

const value = (seed: number) => Math.sin(seed * 12.9898) * 3;

function worstError(
  workspace: MatrixWorkspace<Float32Array> | MatrixWorkspace<Float64Array>,
  makeValues: (length: number) => never,
  { rows, inner, columns, bias }: { rows: number; inner: number; columns: number; bias: boolean },
): number {
  const right = makeValues(inner * columns) as Float64Array;
  right.forEach((_, i) => (right[i] = value(i)));
  // Wide enough for the zeros with which the right factor ends.
  const left = workspace.allocate(rows, inner + 3);
  const leftValues = workspace.values(left);
  leftValues.forEach((_, i) => (leftValues[i] = value(i + 1000)));
  const packed = workspace.pack(right as never, inner, columns);
  const initial = workspace.allocate(bias ? 1 : rows, columns);
  const initialValues = workspace.values(initial);
  initialValues.forEach((_, i) => (initialValues[i] = value(i + 2000)));
  const result = workspace.allocate(rows, columns);
  workspace.multiply(left, packed, initial, result);
  let worst = 0;
  const [a, c, got] = [left, initial, result].map((matrix) => workspace.values(matrix));
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      let expected = c![(bias ? 0 : row * initial.columns) + column]!;
      for (let i = 0; i < inner; i++) {
        expected += a![row * left.columns + i]! * right[i * columns + column]!;
      }
      worst = Math.max(worst, Math.abs(expected - got![row * result.columns + column]!));
    }
  }
  return worst;
}

describe('the product kernel', () => {
  it('is right for numbers of double precision', () => {
    fc.assert(
      fc.property(sizes, (size) => {
        const values = (length: number) => new Float64Array(length) as never;
        expect(worstError(new MatrixWorkspace(DOUBLE), values, size)).toBeLessThan(1e-12);
      }),
      RUNS,
    );
  });

  it('is right for numbers of single precision', () => {
    fc.assert(
      fc.property(sizes, (size) => {
        const values = (length: number) => new Float32Array(length) as never;
        expect(worstError(new MatrixWorkspace(SINGLE), values, size)).toBeLessThan(1e-4);
      }),
      RUNS,
    );
  });

  it('works in memory that grew', () => {
    const workspace = new MatrixWorkspace(DOUBLE);
    const size = { rows: 5, inner: 7, columns: 9, bias: true };
    const values = (length: number) => new Float64Array(length) as never;
    workspace.allocate(1_000, 1_000);
    expect(worstError(workspace, values, size)).toBeLessThan(1e-12);
  });

  it('gives memory again after a mark', () => {
    const workspace = new MatrixWorkspace(SINGLE);
    const mark = workspace.mark();
    const first = workspace.allocate(10, 10);
    workspace.release(mark);
    expect(workspace.allocate(10, 10).address).toBe(first.address);
  });
});
