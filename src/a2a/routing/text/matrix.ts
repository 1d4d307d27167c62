import { DOUBLE_KERNEL, PANEL_BYTES, SINGLE_KERNEL, UNROLL } from './matrix-kernel.js';

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

/** How exact numbers are: of a model that was trained so, or of an inverse that is built on itself. */
interface Precision<Values> {
  readonly kernel: Uint8Array<ArrayBuffer>;
  readonly bytes: number;
  readonly view: new (buffer: ArrayBuffer, address: number, length: number) => Values;
}

export const SINGLE: Precision<Float32Array> = {
  kernel: SINGLE_KERNEL,
  bytes: Float32Array.BYTES_PER_ELEMENT,
  view: Float32Array,
};

export const DOUBLE: Precision<Float64Array> = {
  kernel: DOUBLE_KERNEL,
  bytes: Float64Array.BYTES_PER_ELEMENT,
  view: Float64Array,
};

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
export class MatrixWorkspace<Values extends Float32Array | Float64Array> {
  private readonly memory = new WebAssembly.Memory({ initial: 1 });
  private readonly kernel: Multiply;
  private top = 0;

  /** Columns of a panel. */
  private readonly panel: number;

  constructor(private readonly precision: Precision<Values>) {
    this.panel = PANEL_BYTES / precision.bytes;
    const module = new WebAssembly.Module(precision.kernel);
    const instance = new WebAssembly.Instance(module, { js: { memory: this.memory } });
    this.kernel = instance.exports['multiply'] as Multiply;
  }

  mark(): number {
    return this.top;
  }

  /** Takes back all that was allocated since the mark. */
  release(mark: number): void {
    this.top = mark;
  }

  /** Not cleared. Columns are rounded up to whole panels. */
  allocate(rows: number, columns: number): Matrix {
    const width = roundUp(columns, this.panel);
    return { address: this.take(rows * width), rows, columns: width };
  }

  values({ address, rows, columns }: Matrix): Values {
    return new this.precision.view(this.memory.buffer, address, rows * columns);
  }

  /** @param values row-major, `inner` × `columns` */
  pack(values: Values, inner: number, columns: number): Packed {
    const depth = roundUp(inner, UNROLL);
    const width = roundUp(columns, this.panel);
    const address = this.take(depth * width);
    const packed = new this.precision.view(this.memory.buffer, address, depth * width);
    if (depth !== inner || width !== columns) packed.fill(0);
    for (let row = 0; row < inner; row++) {
      for (let column = 0; column < columns; column += this.panel) {
        const from = row * columns + column;
        const to = column * depth + row * this.panel;
        packed.set(values.subarray(from, from + Math.min(this.panel, columns - column)), to);
      }
    }
    return { address, inner: depth, columns: width };
  }

  /** result = initial + left · right; an initial of one row is added to every row. */
  multiply(left: Matrix, right: Packed, initial: Matrix, result: Matrix, rows = left.rows): void {
    if (rows === 0) return;
    this.kernel(
      left.address,
      right.address,
      initial.address,
      result.address,
      rows,
      right.inner,
      right.columns / this.panel,
      left.columns * this.precision.bytes,
      initial.rows === 1 ? 0 : initial.columns * this.precision.bytes,
      result.columns * this.precision.bytes,
    );
  }

  private take(count: number): number {
    const address = this.top;
    this.top += roundUp(count * this.precision.bytes, 16);
    const missing = this.top - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE));
    return address;
  }
}
