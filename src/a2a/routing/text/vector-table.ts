import { VECTOR_SIZE } from './encoder.js';
import { MatrixWorkspace, type Matrix } from './matrix.js';

/** Vectors that others are compared with; they are only ever appended. */
export class VectorTable {
  #workspace = new MatrixWorkspace();
  #vectors: Matrix;
  #count = 0;

  constructor(capacity: number) {
    this.#vectors = this.#workspace.allocate(capacity, VECTOR_SIZE);
  }

  append(vector: Float32Array): void {
    if (this.#count === this.#vectors.rows) this.#grow();
    this.#workspace.values(this.#vectors).set(vector, this.#count++ * VECTOR_SIZE);
  }

  /** Products of a vector with each of the first `rows`. */
  multiply(vector: Float32Array, rows: number): Float32Array {
    const workspace = this.#workspace;
    const mark = workspace.mark();
    const right = workspace.pack(vector, VECTOR_SIZE, 1);
    const zeros = workspace.allocate(1, 1);
    const products = workspace.allocate(rows, 1);
    workspace.values(zeros).fill(0);
    workspace.multiply(this.#vectors, right, zeros, products, rows);
    const found = workspace.values(products);
    workspace.release(mark);
    const result = new Float32Array(rows);
    for (let row = 0; row < rows; row++) result[row] = found[row * products.columns] as number;
    return result;
  }

  #grow(): void {
    const before = this.#workspace.values(this.#vectors);
    this.#workspace = new MatrixWorkspace();
    this.#vectors = this.#workspace.allocate(this.#count * 2, VECTOR_SIZE);
    this.#workspace.values(this.#vectors).set(before);
  }
}
