import type { Classes } from './classes.js';
import type { Steps } from './steps.js';

/** Rows between two moments at which something else may run. */
const ROWS_A_STEP = 16;

/** Weights of the texts in the score of each class, row-major: a row for each text. */
export type DualWeights = Float64Array;

/**
 * The inverse of K + λI for a kernel matrix K that grows text by text, which is all that kernel
 * ridge regression and its leave-one-out residuals need (Rifkin and Lippert 2007). It is kept as
 * the inverse M of the Cholesky factor, MᵀM = (K + λI)⁻¹: a new text adds a row and changes none,
 * so that errors do not build up on each other.
 */
export class RidgeInverse {
  /** Lower triangular: row i has i + 1 numbers. */
  private readonly factor: Float64Array[] = [];

  constructor(private readonly lambda: number) {}

  get size(): number {
    return this.factor.length;
  }

  /** @param kernel of the new text with those so far, and with itself at the end */
  append(kernel: ArrayLike<number>): void {
    const size = this.factor.length;
    const row = new Float64Array(size + 1);
    let rest = (kernel[size] as number) + this.lambda;
    for (const [i, other] of this.factor.entries()) {
      let product = 0;
      for (let j = 0; j <= i; j++) product += (other[j] as number) * (kernel[j] as number);
      rest -= product * product;
      for (let j = 0; j <= i; j++) row[j] = (row[j] as number) - product * (other[j] as number);
    }
    const scale = 1 / Math.sqrt(rest);
    for (let j = 0; j < size; j++) row[j] = (row[j] as number) * scale;
    row[size] = scale;
    this.factor.push(row);
  }

  /** The inverse's rows and columns of some texts, row-major. */
  block(rows: readonly number[]): Float64Array {
    const result = new Float64Array(rows.length ** 2);
    const first = Math.min(...rows);
    for (let k = first; k < this.factor.length; k++) {
      const row = this.factor[k] as Float64Array;
      rows.forEach((a, i) => {
        if (a > k) return;
        rows.forEach((b, j) => {
          if (b > k) return;
          const at = i * rows.length + j;
          result[at] = (result[at] as number) + (row[a] as number) * (row[b] as number);
        });
      });
    }
    return result;
  }

  /** Inverse times the indicators of the classes. */
  *weights({ columnOf, columns }: Classes): Steps<DualWeights> {
    const weights = new Float64Array(this.size * columns);
    const sums = new Float64Array(columns);
    for (const [i, row] of this.factor.entries()) {
      sums.fill(0);
      for (let j = 0; j <= i; j++) {
        const column = columnOf[j] as number;
        if (column >= 0) sums[column] = (sums[column] as number) + (row[j] as number);
      }
      for (let j = 0; j <= i; j++) {
        const value = row[j] as number;
        const start = j * columns;
        for (let column = 0; column < columns; column++) {
          weights[start + column] =
            (weights[start + column] as number) + value * (sums[column] as number);
        }
      }
      if (i % ROWS_A_STEP === 0) yield;
    }
    return weights;
  }
}

/** Of a symmetric positive definite matrix, by Gauss and Jordan; no pivots are needed. */
export function invert(matrix: Float64Array, size: number): Float64Array {
  const result = matrix.slice();
  for (let pivot = 0; pivot < size; pivot++) {
    const inverse = 1 / (result[pivot * size + pivot] as number);
    result[pivot * size + pivot] = 1;
    for (let j = 0; j < size; j++) {
      result[pivot * size + j] = (result[pivot * size + j] as number) * inverse;
    }
    for (let row = 0; row < size; row++) {
      if (row === pivot) continue;
      const factor = result[row * size + pivot] as number;
      result[row * size + pivot] = 0;
      for (let j = 0; j < size; j++) {
        result[row * size + j] =
          (result[row * size + j] as number) - factor * (result[pivot * size + j] as number);
      }
    }
  }
  return result;
}
