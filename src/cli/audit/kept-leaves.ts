import type { RestingPlace } from '../../audit/verify/replay/resting-states.js';
import { HASH_BYTES } from '../../kernel/merkle.js';

/** Leaves that are put away together. */
const TILE = 256;

/** The hashes of all leaves of a log, 256 of them in memory. */
export class KeptLeaves {
  readonly #newest = Buffer.alloc(TILE * HASH_BYTES);
  #size = 0;

  constructor(private readonly place: RestingPlace) {}

  append(leaf: Uint8Array): void {
    const nth = this.#size % TILE;
    this.#newest.set(leaf, nth * HASH_BYTES);
    if (nth === TILE - 1) this.place.set(this.#tile(this.#size), this.#newest.toString('base64'));
    this.#size++;
  }

  /** Undefined beyond the last one. */
  at(index: number): Uint8Array | undefined {
    if (index >= this.#size) return undefined;
    const text = this.place.get(this.#tile(index));
    const tile = text === undefined ? this.#newest : Buffer.from(text, 'base64');
    const begin = (index % TILE) * HASH_BYTES;
    return tile.subarray(begin, begin + HASH_BYTES);
  }

  #tile(index: number): string {
    return String(Math.floor(index / TILE));
  }
}
