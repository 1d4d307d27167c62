/** As much of the WebAssembly binary format (core specification 2.0, chapter 5) as one module needs. */

const I32 = 0x7f;
const V128 = 0x7b;

/** Instructions; what takes an immediate is a function of it. Memory immediates say offset in bytes. */
export const op = {
  localGet: (index: number) => [0x20, ...unsigned(index)],
  localSet: (index: number) => [0x21, ...unsigned(index)],
  i32Const: (value: number) => [0x41, ...signed(value)],
  i32Add: [0x6a],
  i32Mul: [0x6c],
  i32Equal: [0x46],
  i32NotEqual: [0x47],
  i32GreaterEqual: [0x4e],
  /** Its value is the condition; 0x40: leaves nothing on the stack. */
  whenTrue: (body: readonly number[]) => [0x04, 0x40, ...body, 0x0b],
  /** Repeats while what the body leaves on the stack is not 0. */
  repeatWhile: (body: readonly number[]) => [0x03, 0x40, ...body, 0x0d, 0x00, 0x0b],
  v128Load: (offset: number) => [0xfd, 0x00, 0x02, ...unsigned(offset)],
  v128Load32Splat: (offset: number) => [0xfd, 0x09, 0x02, ...unsigned(offset)],
  v128Store: (offset: number) => [0xfd, 0x0b, 0x02, ...unsigned(offset)],
  f32x4Add: [0xfd, 0xe4, 0x01],
  f32x4Mul: [0xfd, 0xe6, 0x01],
} as const;

export interface WasmFunction {
  readonly name: string;
  /** All i32, numbered from 0. */
  readonly parameters: number;
  /** Numbered after the parameters: first those of i32, then those of v128. */
  readonly i32Locals: number;
  readonly v128Locals: number;
  readonly body: readonly number[];
}

/** A module of one function without a result, over the memory imported as `js.memory`. */
export function assemble(fn: WasmFunction): Uint8Array<ArrayBuffer> {
  const type = [0x60, ...vector(Array.from({ length: fn.parameters }, () => [I32])), 0x00];
  const locals = vector([
    [...unsigned(fn.i32Locals), I32],
    [...unsigned(fn.v128Locals), V128],
  ]);
  const code = [...locals, ...fn.body, 0x0b];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [type]),
    ...section(2, [[...name('js'), ...name('memory'), 0x02, 0x00, 0x01]]),
    ...section(3, [[0x00]]),
    ...section(7, [[...name(fn.name), 0x00, 0x00]]),
    ...section(10, [[...unsigned(code.length), ...code]]),
  ]);
}

function section(id: number, items: readonly (readonly number[])[]): number[] {
  const content = vector(items);
  return [id, ...unsigned(content.length), ...content];
}

function vector(items: readonly (readonly number[])[]): number[] {
  return [...unsigned(items.length), ...items.flat()];
}

function name(text: string): number[] {
  return vector([...Buffer.from(text)].map((byte) => [byte]));
}

/** LEB128. */
function unsigned(value: number): number[] {
  const bytes: number[] = [];
  do {
    const low = value & 0x7f;
    value >>>= 7;
    bytes.push(value === 0 ? low : low | 0x80);
  } while (value !== 0);
  return bytes;
}

function signed(value: number): number[] {
  const bytes: number[] = [];
  for (;;) {
    const low = value & 0x7f;
    value >>= 7;
    const isDone = (value === 0 && (low & 0x40) === 0) || (value === -1 && (low & 0x40) !== 0);
    bytes.push(isDone ? low : low | 0x80);
    if (isDone) return bytes;
  }
}
