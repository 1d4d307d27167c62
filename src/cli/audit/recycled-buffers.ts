const LEAST_BYTES = 16 * 1024;
/** Larger ones are rare, and would hold on to much. */
const MOST_BYTES = 1024 * 1024;

/**
 * Memory that goes around between threads. What is allocated for each block anew is freed late, in the
 * order of nobody's wish, and leaves holes: a process then grows for hours, whatever is alive in it.
 */
export class RecycledBuffers {
  readonly #free: ArrayBuffer[] = [];

  /** At least so many bytes; they hold anything. */
  take(bytes: number): ArrayBuffer {
    const nth = this.#free.findIndex(({ byteLength }) => byteLength >= bytes);
    const [found] = nth === -1 ? [] : this.#free.splice(nth, 1);
    if (found !== undefined) return found;
    // A larger one takes the place of one that was too small: there are no more than are in use at once.
    this.#free.shift();
    return new ArrayBuffer(Math.max(LEAST_BYTES, 2 ** Math.ceil(Math.log2(bytes))));
  }

  /** Nobody else uses it any more. */
  give(buffer: ArrayBuffer): void {
    if (buffer.byteLength <= MOST_BYTES) this.#free.push(buffer);
  }
}
