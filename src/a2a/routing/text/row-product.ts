import { MatrixWorkspace, type Matrix, type Packed } from './matrix.js';

/** One matrix that rows are multiplied by, again and again. */
export class RowProduct {
  readonly #workspace = new MatrixWorkspace();
  readonly #packed: Packed;
  readonly #input: Matrix;
  readonly #zeros: Matrix;
  readonly #output: Matrix;

  /** @param values row-major, `inner` × `columns`, neither of them 0 */
  constructor(
    values: Float32Array,
    inner: number,
    private readonly columns: number,
  ) {
    this.#packed = this.#workspace.pack(values, inner, columns);
    this.#input = this.#workspace.allocate(1, this.#packed.inner);
    this.#zeros = this.#workspace.allocate(1, columns);
    this.#output = this.#workspace.allocate(1, columns);
    this.#workspace.values(this.#input).fill(0);
    this.#workspace.values(this.#zeros).fill(0);
  }

  /** @param row of `inner` numbers */
  multiply(row: Float32Array): Float32Array {
    this.#workspace.values(this.#input).set(row);
    this.#workspace.multiply(this.#input, this.#packed, this.#zeros, this.#output);
    return this.#workspace.values(this.#output).slice(0, this.columns);
  }
}
