import { MATRIX_KERNEL, PANEL, UNROLL } from './matrix-kernel.js';

/** The JavaScript interface of WebAssembly, as far as it is used; node's types leave it out. */
declare const WebAssembly: {
  readonly Memory: new (size: { readonly initial: number }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (
    module: object,
    imports: { readonly js: { readonly memory: WasmMemory } },
  ) => { readonly exports: Readonly<Record<string, unknown>> };
};

interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

type Multiply = (
  a: number,
  b: number,
  init: number,
  c: number,
  rows: number,
  inner: number,
  panels: number,
  aStride: number,
  initStride: number,
  cStride: number,
) => void;

const FLOAT = Float32Array.BYTES_PER_ELEMENT;
const PAGE = 65_536;

const roundUp = (value: number, step: number) => Math.ceil(value / step) * step;

/** A row-major matrix in a workspace; addresses are bytes. */
export interface Matrix {
  readonly address: number;
  readonly rows: number;
  readonly columns: number;
}

/** The right factor of products, laid out in panels; its sizes are rounded up, with zeros. */
export interface Packed {
  readonly address: number;
  readonly inner: number;
  readonly columns: number;
}

/**
 * Memory that the product kernel works in, given out from the bottom up and never back, except all
 * of it above a mark. Views of it (`values`) are for at once: growing the memory detaches them.
 */
export class MatrixWorkspace {
  readonly #memory = new WebAssembly.Memory({ initial: 1 });
  readonly #kernel: Multiply;
  #top = 0;

  constructor() {
    const module = new WebAssembly.Module(MATRIX_KERNEL);
    const instance = new WebAssembly.Instance(module, { js: { memory: this.#memory } });
    this.#kernel = instance.exports['multiply'] as Multiply;
  }

  mark(): number {
    return this.#top;
  }

  /** Takes back all that was allocated since the mark. */
  release(mark: number): void {
    this.#top = mark;
  }

  /** Not cleared. Columns are rounded up to whole panels. */
  allocate(rows: number, columns: number): Matrix {
    const width = roundUp(columns, PANEL);
    return { address: this.#take(rows * width), rows, columns: width };
  }

  values({ address, rows, columns }: Matrix): Float32Array {
    return new Float32Array(this.#memory.buffer, address, rows * columns);
  }

  /** @param values row-major, `inner` × `columns` */
  pack(values: Float32Array, inner: number, columns: number): Packed {
    const depth = roundUp(inner, UNROLL);
    const width = roundUp(columns, PANEL);
    const address = this.#take(depth * width);
    const packed = new Float32Array(this.#memory.buffer, address, depth * width);
    if (depth !== inner || width !== columns) packed.fill(0);
    for (let row = 0; row < inner; row++) {
      for (let column = 0; column < columns; column += PANEL) {
        const from = row * columns + column;
        const to = column * depth + row * PANEL;
        packed.set(values.subarray(from, from + Math.min(PANEL, columns - column)), to);
      }
    }
    return { address, inner: depth, columns: width };
  }

  /** result = initial + left · right; an initial of one row is added to every row. */
  multiply(left: Matrix, right: Packed, initial: Matrix, result: Matrix, rows = left.rows): void {
    if (rows === 0) return;
    this.#kernel(
      left.address,
      right.address,
      initial.address,
      result.address,
      rows,
      right.inner,
      right.columns / PANEL,
      left.columns * FLOAT,
      initial.rows === 1 ? 0 : initial.columns * FLOAT,
      result.columns * FLOAT,
    );
  }

  #take(count: number): number {
    const address = this.#top;
    this.#top += roundUp(count * FLOAT, 16);
    const missing = this.#top - this.#memory.buffer.byteLength;
    if (missing > 0) this.#memory.grow(Math.ceil(missing / PAGE));
    return address;
  }
}
