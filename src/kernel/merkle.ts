import { hash } from 'node:crypto';

/** SHA-256: every hash of the tree has 32 bytes. */
export const HASH_BYTES = 32;

/** MTH of no entries, RFC 6962 section 2.1: SHA-256 of nothing. */
export const EMPTY_ROOT: Uint8Array = hash('sha256', '', 'buffer');

/**
 * Hash of a leaf, RFC 6962 section 2.1: SHA-256(0x00 ‖ entry). A string counts as its UTF-8 bytes.
 */
export function leafHash(entry: Uint8Array | string): Uint8Array {
  // U+0000 is the byte 0x00 in UTF-8.
  if (typeof entry === 'string') return hash('sha256', `\0${entry}`, 'buffer');
  const input = new Uint8Array(1 + entry.length);
  input.set(entry, 1);
  return hash('sha256', input, 'buffer');
}

/** Hash of two neighbours, RFC 6962 section 2.1: SHA-256(0x01 ‖ left ‖ right); 32 bytes each. */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  nodeInput.set(left, 1);
  nodeInput.set(right, 1 + HASH_BYTES);
  return hash('sha256', nodeInput, 'buffer');
}

const nodeInput = new Uint8Array(1 + 2 * HASH_BYTES);
nodeInput[0] = 0x01;

/** That a leaf stands at `index` (from 0) of the tree with `size` leaves and this root. */
export interface InclusionClaim {
  readonly leafHash: Uint8Array;
  readonly index: number;
  readonly size: number;
  /** Audit path, from the leaf's neighbour upwards. */
  readonly proof: readonly Uint8Array[];
  readonly root: Uint8Array;
}

/** RFC 9162 section 2.1.3.2. Whatever is malformed is false. */
export function verifyInclusion({ leafHash, index, size, proof, root }: InclusionClaim): boolean {
  if (!isCount(index) || !isCount(size) || index >= size) return false;
  if (![leafHash, root, ...proof].every(isHash)) return false;
  let place = index;
  let last = size - 1;
  let computed = leafHash;
  for (const neighbour of proof) {
    if (last === 0) return false;
    if (isOdd(place) || place === last) {
      computed = nodeHash(neighbour, computed);
      while (!isOdd(place) && place !== 0) {
        place = half(place);
        last = half(last);
      }
    } else {
      computed = nodeHash(computed, neighbour);
    }
    place = half(place);
    last = half(last);
  }
  return last === 0 && sameHash(computed, root);
}

/** That the tree with `first` leaves is the beginning of the tree with `second` leaves. */
export interface ConsistencyClaim {
  readonly first: number;
  readonly second: number;
  readonly firstRoot: Uint8Array;
  readonly secondRoot: Uint8Array;
  readonly proof: readonly Uint8Array[];
}

/**
 * RFC 9162 section 2.1.4.2. Of the two cases that the RFC leaves out, a tree is consistent with
 * itself, and the empty tree with every tree: both with an empty proof. Whatever is malformed is
 * false.
 */
export function verifyConsistency(claim: ConsistencyClaim): boolean {
  const { first, second, firstRoot, secondRoot, proof } = claim;
  if (!isCount(first) || !isCount(second) || first > second) return false;
  if (![firstRoot, secondRoot, ...proof].every(isHash)) return false;
  if (first === second) return proof.length === 0 && sameHash(firstRoot, secondRoot);
  if (first === 0) return proof.length === 0 && sameHash(firstRoot, EMPTY_ROOT);
  if (proof.length === 0) return false;

  let place = first - 1;
  let last = second - 1;
  while (isOdd(place)) {
    place = half(place);
    last = half(last);
  }
  // A perfect tree stands in the larger one as a whole: the proof need not repeat its root.
  const [start, ...rest] = place === 0 ? [firstRoot, ...proof] : proof;
  if (start === undefined) return false;
  let ofFirst = start;
  let ofSecond = start;
  for (const neighbour of rest) {
    if (last === 0) return false;
    if (isOdd(place) || place === last) {
      ofFirst = nodeHash(neighbour, ofFirst);
      ofSecond = nodeHash(neighbour, ofSecond);
      while (!isOdd(place) && place !== 0) {
        place = half(place);
        last = half(last);
      }
    } else {
      ofSecond = nodeHash(ofSecond, neighbour);
    }
    place = half(place);
    last = half(last);
  }
  return last === 0 && sameHash(ofFirst, firstRoot) && sameHash(ofSecond, secondRoot);
}

/**
 * The right edge of a growing tree: the roots of the perfect subtrees that it consists of, the
 * largest first. All that an auditor keeps of the entries it has seen: at most 53 hashes.
 */
export class MerkleFrontier {
  #size: number;
  readonly #roots: Uint8Array[];

  /**
   * Of an empty tree, or as {@link MerkleFrontier.size} and {@link MerkleFrontier.roots} of another
   * one say.
   * @throws {RangeError} when a tree of this size has another number of subtrees
   */
  constructor(size = 0, roots: readonly Uint8Array[] = []) {
    if (!isCount(size) || onesIn(size) !== roots.length || !roots.every(isHash)) {
      throw new RangeError(`no frontier of a tree with ${String(size)} leaves`);
    }
    this.#size = size;
    this.#roots = [...roots];
  }

  /** Leaves so far. */
  get size(): number {
    return this.#size;
  }

  get roots(): readonly Uint8Array[] {
    return this.#roots;
  }

  append(leafHash: Uint8Array): void {
    let subtree = leafHash;
    for (let place = this.#size; isOdd(place); place = half(place)) {
      subtree = nodeHash(this.#roots.pop() ?? EMPTY_ROOT, subtree);
    }
    this.#roots.push(subtree);
    this.#size++;
  }

  /** MTH of the leaves so far. */
  root(): Uint8Array {
    return (
      this.#roots.reduceRight<Uint8Array | undefined>(
        (right, left) => (right === undefined ? left : nodeHash(left, right)),
        undefined,
      ) ?? EMPTY_ROOT
    );
  }
}

/** Whether two hashes, as bytes, are equal. Not in constant time: hashes of a tree are no secret. */
export function sameHash(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

function isHash(value: Uint8Array): boolean {
  return value instanceof Uint8Array && value.length === HASH_BYTES;
}

/** Counts are numbers, not 32-bit integers: hence no shifts here. */
function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function isOdd(value: number): boolean {
  return value % 2 === 1;
}

function half(value: number): number {
  return Math.floor(value / 2);
}

function onesIn(value: number): number {
  let ones = 0;
  for (let rest = value; rest > 0; rest = half(rest)) ones += rest % 2;
  return ones;
}
