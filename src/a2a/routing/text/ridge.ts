import type { Classes } from './classes.js';
import { MatrixWorkspace } from './matrix.js';
import type { Steps } from './steps.js';

/** Rows between two moments at which something else may run. */
const ROWS_A_STEP = 32;

/** Weights of the texts in the score of each class, row-major: a row for each text. */
export type DualWeights = Float32Array;

/**
 * The inverse of K + λI for a kernel matrix K that grows text by text, which is all that kernel
 * ridge regression and its leave-one-out residuals need (Rifkin and Lippert 2007). It is kept as
 * the inverse M of the Cholesky factor, MᵀM = (K + λI)⁻¹: a new text adds a row and changes none,
 * so that errors do not build up on each other.
 */
export class RidgeInverse {
  /** Lower triangular: row i has i + 1 numbers. */
  readonly #factor: Float64Array[] = [];

  constructor(private readonly lambda: number) {}

  get size(): number {
    return this.#factor.length;
  }

  /**
   * Texts that come together are taken past the factor together, since it is larger than the caches.
   * @param kernels of each new text with those before it, and with itself at the end
   */
  *append(kernels: readonly Float32Array[]): Steps<void> {
    const begun = kernels.map((kernel) => ({
      kernel,
      row: new Float64Array(kernel.length),
      rest: (kernel.at(-1) as number) + this.lambda,
    }));
    for (const [i, other] of this.#factor.entries()) {
      for (const text of begun) text.rest -= eliminate(other, text.kernel, text.row);
      if (i % ROWS_A_STEP === 0) yield;
    }
    const before = this.#factor.length;
    for (const text of begun) {
      for (const other of this.#factor.slice(before)) {
        text.rest -= eliminate(other, text.kernel, text.row);
      }
      const scale = 1 / Math.sqrt(text.rest);
      const row = text.row.map((value) => value * scale);
      row[row.length - 1] = scale;
      this.#factor.push(row);
    }
  }

  /** The inverse's rows and columns of some texts, row-major. */
  block(rows: readonly number[]): Float64Array {
    const result = new Float64Array(rows.length ** 2);
    const first = Math.min(...rows);
    for (let k = first; k < this.#factor.length; k++) {
      const row = this.#factor[k] as Float64Array;
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

  /** Inverse times the indicators of the classes: Mᵀ(MY). */
  *weights({ columnOf, columns }: Classes): Steps<DualWeights> {
    const size = this.#factor.length;
    const workspace = new MatrixWorkspace();
    const right = workspace.pack(this.#sumsOfClasses(columnOf, columns), size, columns);
    const zeros = workspace.allocate(1, columns);
    const left = workspace.allocate(ROWS_A_STEP, right.inner);
    const products = workspace.allocate(ROWS_A_STEP, columns);
    workspace.values(zeros).fill(0);
    const weights = new Float32Array(size * columns);
    for (let start = 0; start < size; start += ROWS_A_STEP) {
      const rows = Math.min(ROWS_A_STEP, size - start);
      this.#transposeInto(workspace.values(left).fill(0), left.columns, start, rows);
      workspace.multiply(left, right, zeros, products, rows);
      const found = workspace.values(products);
      for (let row = 0; row < rows; row++) {
        const from = row * products.columns;
        weights.set(found.subarray(from, from + columns), (start + row) * columns);
      }
      yield;
    }
    return weights;
  }

  /** MY */
  #sumsOfClasses(columnOf: Int32Array, columns: number): Float32Array {
    const sums = new Float32Array(this.#factor.length * columns);
    for (const [i, row] of this.#factor.entries()) {
      for (let j = 0; j <= i; j++) {
        const column = columnOf[j] as number;
        if (column < 0) continue;
        const at = i * columns + column;
        sums[at] = (sums[at] as number) + (row[j] as number);
      }
    }
    return sums;
  }

  /** Writes columns of M as rows. */
  #transposeInto(target: Float32Array, stride: number, start: number, count: number): void {
    for (let i = start; i < this.#factor.length; i++) {
      const row = this.#factor[i] as Float64Array;
      const last = Math.min(count, i - start + 1);
      for (let j = 0; j < last; j++) target[j * stride + i] = row[start + j] as number;
    }
  }
}

/** Takes what a row of the factor says of a text out of the text's own row; returns its square. */
function eliminate(other: Float64Array, kernel: Float32Array, row: Float64Array): number {
  const size = other.length;
  let product = 0;
  for (let j = 0; j < size; j++) product += (other[j] as number) * (kernel[j] as number);
  for (let j = 0; j < size; j++) row[j] = (row[j] as number) - product * (other[j] as number);
  return product * product;
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
