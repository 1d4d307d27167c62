import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MatrixWorkspace } from '../../../../src/a2a/routing/text/matrix.js';
import { RUNS } from '../../../support/property-runs.js';

interface Size {
  readonly rows: number;
  readonly inner: number;
  readonly columns: number;
  readonly bias: boolean;
}

const sizes = fc.record({
  rows: fc.integer({ min: 1, max: 11 }),
  inner: fc.integer({ min: 1, max: 13 }),
  columns: fc.integer({ min: 1, max: 19 }),
  bias: fc.boolean(),
});

const number = (seed: number) => Math.sin(seed * 12.9898) * 3;

/** The largest difference from a product that is made number by number. */
function worstError(workspace: MatrixWorkspace, { rows, inner, columns, bias }: Size): number {
  const right = Float32Array.from({ length: inner * columns }, (_, i) => number(i));
  // Wide enough for the zeros with which the right factor ends.
  const left = workspace.allocate(rows, inner + 3);
  workspace.values(left).forEach((_, i, values) => (values[i] = number(i + 1000)));
  const packed = workspace.pack(right, inner, columns);
  const initial = workspace.allocate(bias ? 1 : rows, columns);
  workspace.values(initial).forEach((_, i, values) => (values[i] = number(i + 2000)));
  const result = workspace.allocate(rows, columns);
  workspace.multiply(left, packed, initial, result);
  const [a, c, got] = [left, initial, result].map((matrix) => workspace.values(matrix));
  let worst = 0;
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
  it('is right for matrices of any size', () => {
    fc.assert(
      fc.property(sizes, (size) => {
        expect(worstError(new MatrixWorkspace(), size)).toBeLessThan(1e-4);
      }),
      RUNS,
    );
  });

  it('works in memory that grew', () => {
    const workspace = new MatrixWorkspace();
    workspace.allocate(1_000, 1_000);
    expect(worstError(workspace, { rows: 5, inner: 7, columns: 9, bias: true })).toBeLessThan(1e-4);
  });

  it('gives memory again after a mark', () => {
    const workspace = new MatrixWorkspace();
    const mark = workspace.mark();
    const first = workspace.allocate(10, 10);
    workspace.release(mark);
    expect(workspace.allocate(10, 10).address).toBe(first.address);
  });
});
