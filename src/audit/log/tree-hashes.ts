import { LRUCache } from 'lru-cache';
import { EMPTY_ROOT, HASH_BYTES, MerkleFrontier, nodeHash } from '../../kernel/merkle.js';

/** Hashes in a full tile: of height 8, so that every eighth level of the tree is stored. */
export const TILE_WIDTH = 256;

/** Of 8 KiB each: the paths of leaves that are asked for in their order share nearly all. */
const REMEMBERED_TILES = 64;

/**
 * Roots and proofs of the trees that a set of hash tiles holds (c2sp.org/tlog-tiles section "Merkle
 * Tree"). What lies between the levels of tiles is hashed anew: less than 800 hashes for a proof in
 * a tree of a million leaves.
 *
 * The callers see to it that sizes and indices are within the tree.
 */
export class TreeHashes {
  readonly #known = new LRUCache<string, Uint8Array>({ max: REMEMBERED_TILES });

  /** @param readTile the hashes of a tile, one after the other; of a partial one at least those needed. */
  constructor(private readonly readTile: (level: number, number: number) => Uint8Array) {}

  /** RFC 6962 section 2.1: MTH(D[0:size]). */
  rootAt(size: number): Uint8Array {
    return size === 0 ? EMPTY_ROOT : this.#range(0, size);
  }

  /** The right edge of the tree of the first `size` leaves. */
  frontierAt(size: number): MerkleFrontier {
    const roots: Uint8Array[] = [];
    for (let begin = 0; begin < size;) {
      const width = largestPowerBelow(size - begin + 1);
      roots.push(this.#perfect(begin, width));
      begin += width;
    }
    return new MerkleFrontier(size, roots);
  }

  /** RFC 6962 section 2.1.1, index < size. */
  inclusionProof(index: number, size: number): readonly Uint8Array[] {
    const proof: Uint8Array[] = [];
    let [begin, end] = [0, size];
    while (end - begin > 1) {
      const middle = begin + largestPowerBelow(end - begin);
      if (index < middle) {
        proof.push(this.#range(middle, end));
        end = middle;
      } else {
        proof.push(this.#range(begin, middle));
        begin = middle;
      }
    }
    return proof.reverse();
  }

  /** RFC 6962 section 2.1.2, first ≤ second; empty from the empty tree. */
  consistencyProof(first: number, second: number): readonly Uint8Array[] {
    if (first === 0) return [];
    const proof: Uint8Array[] = [];
    let [begin, end] = [0, second];
    while (first !== end) {
      const middle = begin + largestPowerBelow(end - begin);
      if (first <= middle) {
        proof.push(this.#range(middle, end));
        end = middle;
      } else {
        proof.push(this.#range(begin, middle));
        begin = middle;
      }
    }
    // The root of the smaller tree itself is known to whoever asks.
    if (begin > 0) proof.push(this.#range(begin, end));
    return proof.reverse();
  }

  /** MTH(D[begin:end]); `begin` is a multiple of the largest power of two within. */
  #range(begin: number, end: number): Uint8Array {
    const width = end - begin;
    const left = largestPowerBelow(width);
    if (width === 1 || width === left * 2) return this.#perfect(begin, width);
    return nodeHash(this.#perfect(begin, left), this.#range(begin + left, end));
  }

  /** The root of a perfect subtree: its width is a power of two, and divides `begin`. */
  #perfect(begin: number, width: number): Uint8Array {
    let level = 0;
    let each = 1;
    while (each * TILE_WIDTH <= width) {
      level++;
      each *= TILE_WIDTH;
    }
    const slot = begin / each;
    const tile = this.#tile(level, Math.floor(slot / TILE_WIDTH));
    return rootOf(tile, slot % TILE_WIDTH, width / each);
  }

  #tile(level: number, number: number): Uint8Array {
    const name = `${String(level)}/${String(number)}`;
    let tile = this.#known.get(name);
    if (tile === undefined) {
      tile = this.readTile(level, number);
      this.#known.set(name, tile);
    }
    return tile;
  }
}

/** Root over `width` hashes of a tile from a slot on; the width is a power of two. */
export function rootOf(tile: Uint8Array, slot = 0, width = TILE_WIDTH): Uint8Array {
  if (width === 1) return tile.subarray(slot * HASH_BYTES, (slot + 1) * HASH_BYTES);
  const half = width / 2;
  return nodeHash(rootOf(tile, slot, half), rootOf(tile, slot + half, half));
}

/** The largest power of two smaller than a width above 1; counts are numbers, not 32-bit integers. */
function largestPowerBelow(width: number): number {
  let power = 1;
  while (power * 2 < width) power *= 2;
  return power;
}
