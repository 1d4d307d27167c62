import { DOUBLE, MatrixWorkspace, type Matrix } from './matrix.js';
import type { Steps } from './steps.js';

/** Rows between two moments at which something else may run: about a millisecond. */
const ROWS_A_STEP = 64;

/**
 * The inverse of K + λI for a kernel matrix K that grows text by text, which is all that kernel
 * ridge regression and its leave-one-out residuals need (Rifkin and Lippert 2007). Texts come and
 * go in blocks by the inverse of a partitioned matrix: the result is that of a fit from scratch.
 * A row of a text that went stays, and is zero.
 */
export class RidgeInverse {
  private workspace = new MatrixWorkspace(DOUBLE);
  private matrix: Matrix;
  private used = 0;

  constructor(
    private readonly lambda: number,
    capacity: number,
  ) {
    this.matrix = this.workspace.allocate(capacity, capacity);
  }

  /** Rows, zero ones too. */
  get size(): number {
    return this.used;
  }

  /** Read it at once: the next change detaches it. */
  row(index: number): Float64Array {
    const { columns } = this.matrix;
    const start = index * columns;
    return this.workspace.values(this.matrix).subarray(start, start + this.used);
  }

  /**
   * Appends a block of texts.
   * @param cross `size` × `count`: the kernel between the texts so far and the new ones
   * @param own `count` × `count`: the kernel among the new ones
   */
  *add(cross: Float64Array, own: Float64Array, count: number): Steps<void> {
    const before = this.used;
    this.reserve(before + count);
    if (before === 0) {
      this.place(0, invert(this.regularized(own, count), count), count);
      return;
    }
    const mark = this.workspace.mark();
    const base = this.workspace.allocate(before, count);
    yield* this.multiplyBy(cross, count, base);
    const product = this.workspace.values(base);
    const schur = this.regularized(own, count);
    for (let row = 0; row < before; row++) {
      for (let i = 0; i < count; i++) {
        const weight = cross[row * count + i] as number;
        for (let j = 0; j < count; j++) {
          schur[i * count + j] =
            (schur[i * count + j] as number) - weight * (product[row * base.columns + j] as number);
        }
      }
    }
    const corner = invert(schur, count);
    const right = compact(product, before, base.columns, count);
    const left = timesSmall(right, corner, before, count);
    this.workspace.release(mark);
    yield* this.addProduct(left, right, before, count);
    const values = this.workspace.values(this.matrix);
    const stride = this.matrix.columns;
    for (let row = 0; row < before; row++) {
      for (let j = 0; j < count; j++) {
        const value = -(left[row * count + j] as number);
        values[row * stride + before + j] = value;
        values[(before + j) * stride + row] = value;
      }
    }
    this.place(before, corner, count);
  }

  /** Takes texts out: their rows become zero. */
  *remove(rows: readonly number[]): Steps<void> {
    const size = this.used;
    const count = rows.length;
    if (count === 0) return;
    const values = this.workspace.values(this.matrix);
    const stride = this.matrix.columns;
    const right = new Float64Array(size * count);
    for (let row = 0; row < size; row++) {
      rows.forEach((gone, j) => {
        right[row * count + j] = values[row * stride + gone] as number;
      });
    }
    const corner = invert(this.block(rows), count);
    const left = timesSmall(right, corner, size, count).map((value) => -value);
    yield* this.addProduct(left, right, size, count);
    const after = this.workspace.values(this.matrix);
    for (const gone of rows) {
      for (let row = 0; row < size; row++) {
        after[row * stride + gone] = 0;
        after[gone * stride + row] = 0;
      }
    }
  }

  /** The inverse's rows and columns of some texts, row-major. */
  block(rows: readonly number[]): Float64Array {
    const values = this.workspace.values(this.matrix);
    const stride = this.matrix.columns;
    return Float64Array.from({ length: rows.length ** 2 }, (_, at) => {
      const row = rows[Math.floor(at / rows.length)] as number;
      return values[row * stride + (rows[at % rows.length] as number)] as number;
    });
  }

  private reserve(rows: number): void {
    const from = this.matrix;
    if (rows > from.rows) {
      const next = new MatrixWorkspace(DOUBLE);
      const wider = next.allocate(Math.ceil(rows * 1.25), Math.ceil(rows * 1.25));
      const source = this.workspace.values(from);
      const target = next.values(wider);
      for (let row = 0; row < this.used; row++) {
        const start = row * from.columns;
        target.set(source.subarray(start, start + this.used), row * wider.columns);
      }
      this.workspace = next;
      this.matrix = wider;
    }
    this.used = rows;
  }

  private regularized(own: Float64Array, count: number): Float64Array {
    return own.map((value, at) => (at % (count + 1) === 0 ? value + this.lambda : value));
  }

  private place(start: number, corner: Float64Array, count: number): void {
    const values = this.workspace.values(this.matrix);
    for (let i = 0; i < count; i++) {
      const row = (start + i) * this.matrix.columns + start;
      values.set(corner.subarray(i * count, (i + 1) * count), row);
    }
  }

  /** result = inverse · factor, for the rows that `result` has. */
  private *multiplyBy(factor: Float64Array, columns: number, result: Matrix): Steps<void> {
    const packed = this.workspace.pack(factor, result.rows, columns);
    const zero = this.workspace.allocate(1, columns);
    this.workspace.values(zero).fill(0);
    for (let row = 0; row < result.rows; row += ROWS_A_STEP) {
      const rows = Math.min(ROWS_A_STEP, result.rows - row);
      const left = slice(this.matrix, row, rows);
      this.workspace.multiply(left, packed, zero, slice(result, row, rows));
      yield;
    }
  }

  /** inverse += left · rightᵀ, over its first `size` rows and columns. */
  private *addProduct(
    left: Float64Array,
    right: Float64Array,
    size: number,
    count: number,
  ): Steps<void> {
    const mark = this.workspace.mark();
    const transposed = new Float64Array(count * size);
    for (let row = 0; row < size; row++) {
      for (let j = 0; j < count; j++) {
        transposed[j * size + row] = right[row * count + j] as number;
      }
    }
    const packed = this.workspace.pack(transposed, count, size);
    const factor = this.workspace.allocate(size, packed.inner);
    const values = this.workspace.values(factor).fill(0);
    for (let row = 0; row < size; row++) {
      values.set(left.subarray(row * count, (row + 1) * count), row * factor.columns);
    }
    for (let row = 0; row < size; row += ROWS_A_STEP) {
      const rows = Math.min(ROWS_A_STEP, size - row);
      const target = slice(this.matrix, row, rows);
      this.workspace.multiply(slice(factor, row, rows), packed, target, target);
      yield;
    }
    this.workspace.release(mark);
  }
}

function slice(matrix: Matrix, row: number, rows: number): Matrix {
  const offset = row * matrix.columns * Float64Array.BYTES_PER_ELEMENT;
  return { address: matrix.address + offset, rows, columns: matrix.columns };
}

function compact(values: Float64Array, rows: number, stride: number, count: number): Float64Array {
  const result = new Float64Array(rows * count);
  for (let row = 0; row < rows; row++) {
    result.set(values.subarray(row * stride, row * stride + count), row * count);
  }
  return result;
}

/** `tall` (rows × count) times a small square matrix. */
function timesSmall(
  tall: Float64Array,
  small: Float64Array,
  rows: number,
  count: number,
): Float64Array {
  const result = new Float64Array(rows * count);
  for (let row = 0; row < rows; row++) {
    for (let j = 0; j < count; j++) {
      let sum = 0;
      for (let i = 0; i < count; i++) {
        sum += (tall[row * count + i] as number) * (small[i * count + j] as number);
      }
      result[row * count + j] = sum;
    }
  }
  return result;
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
