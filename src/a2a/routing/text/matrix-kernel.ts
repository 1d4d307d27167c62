import { assemble, op } from './wasm-assembler.js';

/** Steps of the inner dimension in one turn of the innermost loop: inner sizes are multiples of it. */
export const UNROLL = 4;
/** Most rows that share a pass: 4 × 2 accumulators leave registers for the operands. */
const MOST_ROWS = 4;

/** A panel is what one pass over the inner dimension computes of each row: two registers. */
export const PANEL_BYTES = 32;
const HALF = 16;

/** What differs between numbers of single and of double precision. */
interface Arithmetic {
  readonly bytes: number;
  readonly splat: (offset: number) => number[];
  readonly add: readonly number[];
  readonly multiply: readonly number[];
}

/** Parameters: addresses and strides in bytes, the others counts. */
const param = {
  a: 0,
  b: 1,
  init: 2,
  c: 3,
  rows: 4,
  inner: 5,
  panels: 6,
  aStride: 7,
  initStride: 8,
  cStride: 9,
} as const;
const local = {
  left: 10,
  aBlock: 11,
  initRow: 12,
  cRow: 13,
  bAt: 14,
  bEnd: 15,
  /** One for each row. */
  aAt: 16,
  low: 16 + MOST_ROWS,
  high: 17 + MOST_ROWS,
  value: 18 + MOST_ROWS,
  /** Two for each row. */
  sums: 19 + MOST_ROWS,
} as const;

const sumOf = (row: number, half: number) => local.sums + row * 2 + half;

const add = (target: number, source: readonly number[]) => [
  ...op.localGet(target),
  ...source,
  ...op.i32Add,
  ...op.localSet(target),
];
const copy = (target: number, source: number) => [...op.localGet(source), ...op.localSet(target)];

/** A row's two sums take the product of its next value of A with the eight of B. */
const accumulate = (row: number, step: number, arithmetic: Arithmetic) => [
  ...op.localGet(local.aAt + row),
  ...arithmetic.splat(step * arithmetic.bytes),
  ...op.localSet(local.value),
  ...[local.low, local.high].flatMap((half, index) => [
    ...op.localGet(sumOf(row, index)),
    ...op.localGet(local.value),
    ...op.localGet(half),
    ...arithmetic.multiply,
    ...arithmetic.add,
    ...op.localSet(sumOf(row, index)),
  ]),
];

const innermost = (rows: readonly number[], arithmetic: Arithmetic) =>
  op.repeatWhile([
    ...Array.from({ length: UNROLL }, (_, step) => [
      ...op.localGet(local.bAt),
      ...op.v128Load(step * PANEL_BYTES),
      ...op.localSet(local.low),
      ...op.localGet(local.bAt),
      ...op.v128Load(step * PANEL_BYTES + HALF),
      ...op.localSet(local.high),
      ...rows.flatMap((row) => accumulate(row, step, arithmetic)),
    ]).flat(),
    ...rows.flatMap((row) => add(local.aAt + row, op.i32Const(UNROLL * arithmetic.bytes))),
    ...add(local.bAt, op.i32Const(UNROLL * PANEL_BYTES)),
    ...op.localGet(local.bAt),
    ...op.localGet(local.bEnd),
    ...op.i32NotEqual,
  ]);

/** `count` rows against one panel; the row addresses move on to the rows that follow. */
function block(count: number, arithmetic: Arithmetic): number[] {
  const rows = Array.from({ length: count }, (_, row) => row);
  return [
    ...rows.flatMap((row) => [
      ...copy(local.aAt + row, local.aBlock),
      ...add(local.aBlock, op.localGet(param.aStride)),
      ...[0, 1].flatMap((half) => [
        ...op.localGet(local.initRow),
        ...op.v128Load(half * HALF),
        ...op.localSet(sumOf(row, half)),
      ]),
      ...add(local.initRow, op.localGet(param.initStride)),
    ]),
    ...copy(local.bAt, param.b),
    ...innermost(rows, arithmetic),
    ...rows.flatMap((row) => [
      ...[0, 1].flatMap((half) => [
        ...op.localGet(local.cRow),
        ...op.localGet(sumOf(row, half)),
        ...op.v128Store(half * HALF),
      ]),
      ...add(local.cRow, op.localGet(param.cStride)),
    ]),
  ];
}

const panel = (arithmetic: Arithmetic) => [
  ...copy(local.left, param.rows),
  ...copy(local.aBlock, param.a),
  ...copy(local.initRow, param.init),
  ...copy(local.cRow, param.c),
  ...op.localGet(param.b),
  ...op.localGet(param.inner),
  ...op.i32Const(PANEL_BYTES),
  ...op.i32Mul,
  ...op.i32Add,
  ...op.localSet(local.bEnd),
  ...op.localGet(local.left),
  ...op.i32Const(MOST_ROWS),
  ...op.i32GreaterEqual,
  ...op.whenTrue(
    op.repeatWhile([
      ...block(MOST_ROWS, arithmetic),
      ...add(local.left, op.i32Const(-MOST_ROWS)),
      ...op.localGet(local.left),
      ...op.i32Const(MOST_ROWS),
      ...op.i32GreaterEqual,
    ]),
  ),
  ...Array.from({ length: MOST_ROWS - 1 }, (_, i) => i + 1).flatMap((count) => [
    ...op.localGet(local.left),
    ...op.i32Const(count),
    ...op.i32Equal,
    ...op.whenTrue(block(count, arithmetic)),
  ]),
];

/**
 * `multiply(a, b, init, c, rows, inner, panels, aStride, initStride, cStride)`:
 * C = INIT + A·B over the imported memory. A, INIT and C are row-major with strides of
 * their own (an INIT of stride 0 is a bias); B lies in panels of as many columns as two registers hold, each row after row.
 * A panel stays in the cache while all rows of A pass over it, so that B is read once. Nothing may
 * be empty.
 */
const kernel = (arithmetic: Arithmetic) =>
  assemble({
    name: 'multiply',
    parameters: 10,
    i32Locals: 6 + MOST_ROWS,
    v128Locals: 3 + MOST_ROWS * 2,
    body: op.repeatWhile([
      ...panel(arithmetic),
      ...copy(param.b, local.bEnd),
      ...add(param.init, op.i32Const(PANEL_BYTES)),
      ...add(param.c, op.i32Const(PANEL_BYTES)),
      ...add(param.panels, op.i32Const(-1)),
      ...op.localGet(param.panels),
    ]),
  });

export const SINGLE_KERNEL = kernel({
  bytes: 4,
  splat: op.v128Load32Splat,
  add: op.f32x4Add,
  multiply: op.f32x4Mul,
});

export const DOUBLE_KERNEL = kernel({
  bytes: 8,
  splat: op.v128Load64Splat,
  add: op.f64x2Add,
  multiply: op.f64x2Mul,
});
