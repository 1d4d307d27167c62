import { TimeSlice } from '../threads/let-others-run.js';
import { isBeyond } from './json-size.js';

/** Values of fewer characters are written in one go. */
const PIECE_CHARACTERS = 16 * 1024;
/** So many characters become bytes at once. */
const CHUNK_CHARACTERS = 64 * 1024;

/**
 * The JSON texts of large values as bytes, written piece by piece, so that others have their turn
 * meanwhile. The text of a value that is still being sent is not made again: values are never changed.
 */
export class LargeJson {
  readonly #made = new WeakMap<object, WeakRef<Buffer>>();

  /** @returns undefined when there are more bytes than `limit` */
  async bytesOf(value: object, limit: number): Promise<Buffer | undefined> {
    const bytes = this.#made.get(value)?.deref() ?? (await jsonBytes(value, limit));
    if (bytes === undefined || bytes.length > limit) return undefined;
    this.#made.set(value, new WeakRef(bytes));
    return bytes;
  }
}

/** What `JSON.stringify` gives of a value of JSON (undefined members are left out), in UTF-8. */
export async function jsonBytes(value: object, limit: number): Promise<Buffer | undefined> {
  const pieces = new Pieces(limit);
  await write(value, pieces);
  return pieces.end();
}

/** The text of a value that needs no pieces. */
function textOf(value: unknown): string | undefined {
  if (value === undefined) return 'null';
  const isLarge = typeof value === 'object' && value !== null && isBeyond(value, PIECE_CHARACTERS);
  return isLarge ? undefined : JSON.stringify(value);
}

async function write(value: object, pieces: Pieces): Promise<void> {
  const [open, close] = Array.isArray(value) ? (['[', ']'] as const) : (['{', '}'] as const);
  let before: string = open;
  for (const [name, member] of Object.entries(value)) {
    if (pieces.isFull) return;
    if (member === undefined && open === '{') continue;
    const head = open === '[' ? before : `${before}${JSON.stringify(name)}:`;
    const text = textOf(member);
    if (pieces.add(text === undefined ? head : head + text)) await pieces.pause();
    if (text === undefined) await write(member as object, pieces);
    before = ',';
  }
  pieces.add(before === open ? open + close : close);
}

class Pieces {
  readonly #chunks: Buffer[] = [];
  readonly #slice = new TimeSlice();
  #text = '';
  #bytes = 0;

  constructor(private readonly limit: number) {}

  get isFull(): boolean {
    return this.#bytes > this.limit;
  }

  /** @returns true when it is time to pause */
  add(text: string): boolean {
    this.#text += text;
    if (this.#text.length < CHUNK_CHARACTERS) return false;
    this.#flush();
    return true;
  }

  async pause(): Promise<void> {
    await this.#slice.next();
  }

  end(): Buffer | undefined {
    this.#flush();
    return this.isFull ? undefined : Buffer.concat(this.#chunks);
  }

  #flush(): void {
    if (this.isFull) return;
    const chunk = Buffer.from(this.#text);
    this.#text = '';
    this.#bytes += chunk.length;
    this.#chunks.push(chunk);
  }
}
