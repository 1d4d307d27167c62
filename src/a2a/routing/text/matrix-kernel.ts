import { assemble, op } from './wasm-assembler.js';

/** Columns of a panel: what one pass over the inner dimension computes of each row. */
export const PANEL = 8;
/** Steps of the inner dimension in one turn of the innermost loop: inner sizes are multiples of it. */
export const UNROLL = 4;
/** Most rows that share a pass: 4 × 2 accumulators leave registers for the operands. */
const MOST_ROWS = 4;

const FLOAT = 4;
/** Bytes of the columns that one pass over the inner dimension computes of each row: two registers. */
const PANEL_BYTES = PANEL * FLOAT;
const HALF = 16;

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
const accumulate = (row: number, step: number) => [
  ...op.localGet(local.aAt + row),
  ...op.v128Load32Splat(step * FLOAT),
  ...op.localSet(local.value),
  ...[local.low, local.high].flatMap((half, index) => [
    ...op.localGet(sumOf(row, index)),
    ...op.localGet(local.value),
    ...op.localGet(half),
    ...op.f32x4Mul,
    ...op.f32x4Add,
    ...op.localSet(sumOf(row, index)),
  ]),
];

const innermost = (rows: readonly number[]) =>
  op.repeatWhile([
    ...Array.from({ length: UNROLL }, (_, step) => [
      ...op.localGet(local.bAt),
      ...op.v128Load(step * PANEL_BYTES),
      ...op.localSet(local.low),
      ...op.localGet(local.bAt),
      ...op.v128Load(step * PANEL_BYTES + HALF),
      ...op.localSet(local.high),
      ...rows.flatMap((row) => accumulate(row, step)),
    ]).flat(),
    ...rows.flatMap((row) => add(local.aAt + row, op.i32Const(UNROLL * FLOAT))),
    ...add(local.bAt, op.i32Const(UNROLL * PANEL_BYTES)),
    ...op.localGet(local.bAt),
    ...op.localGet(local.bEnd),
    ...op.i32NotEqual,
  ]);

/** `count` rows against one panel; the row addresses move on to the rows that follow. */
function block(count: number): number[] {
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
    ...innermost(rows),
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

const panel = [
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
      ...block(MOST_ROWS),
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
    ...op.whenTrue(block(count)),
  ]),
];

/**
 * `multiply(a, b, init, c, rows, inner, panels, aStride, initStride, cStride)`:
 * C = INIT + A·B over float32 in the imported memory. A, INIT and C are row-major with strides of
 * their own (an INIT of stride 0 is a bias); B lies in panels of eight columns, each row after row.
 * A panel stays in the cache while all rows of A pass over it, so that B is read once. Nothing may
 * be empty.
 */
export const MATRIX_KERNEL = assemble({
  name: 'multiply',
  parameters: 10,
  i32Locals: 6 + MOST_ROWS,
  v128Locals: 3 + MOST_ROWS * 2,
  body: op.repeatWhile([
    ...panel,
    ...copy(param.b, local.bEnd),
    ...add(param.init, op.i32Const(PANEL_BYTES)),
    ...add(param.c, op.i32Const(PANEL_BYTES)),
    ...add(param.panels, op.i32Const(-1)),
    ...op.localGet(param.panels),
  ]),
});
