import { createHash } from 'node:crypto';

/**
 * RFC 6962 section 2.1 word by word, recursive, over a list of leaf hashes: slow, and shares nothing
 * with what it is compared to.
 */
export class ReferenceTree {
  readonly #leaves: Uint8Array[] = [];
  readonly #known = new Map<string, Uint8Array>();

  append(leafHash: Uint8Array): void {
    this.#leaves.push(leafHash);
  }

  leaf(index: number): Uint8Array {
    const leaf = this.#leaves[index];
    if (leaf === undefined) throw new RangeError(String(index));
    return leaf;
  }

  /** MTH(D[0:size]) */
  root(size: number): Uint8Array {
    return this.#mth(0, size);
  }

  /** PATH(index, D[0:size]), section 2.1.1. */
  inclusionProof(index: number, size: number): readonly Uint8Array[] {
    return this.#path(index, 0, size);
  }

  /** PROOF(first, D[0:second]), section 2.1.2; empty from the empty tree. */
  consistencyProof(first: number, second: number): readonly Uint8Array[] {
    return first === 0 ? [] : this.#subproof(first, 0, second, true);
  }

  #mth(from: number, to: number): Uint8Array {
    const name = `${String(from)}:${String(to)}`;
    let hash = this.#known.get(name);
    if (hash === undefined) {
      hash = this.#compute(from, to);
      this.#known.set(name, hash);
    }
    return hash;
  }

  #compute(from: number, to: number): Uint8Array {
    if (from === to) return createHash('sha256').digest();
    if (to - from === 1) return this.leaf(from);
    const middle = from + split(to - from);
    return createHash('sha256')
      .update(Uint8Array.of(1))
      .update(this.#mth(from, middle))
      .update(this.#mth(middle, to))
      .digest();
  }

  #path(index: number, from: number, to: number): Uint8Array[] {
    if (to - from === 1) return [];
    const k = split(to - from);
    return index < k
      ? [...this.#path(index, from, from + k), this.#mth(from + k, to)]
      : [...this.#path(index - k, from + k, to), this.#mth(from, from + k)];
  }

  #subproof(first: number, from: number, to: number, isWhole: boolean): Uint8Array[] {
    if (first === to - from) return isWhole ? [] : [this.#mth(from, to)];
    const k = split(to - from);
    return first <= k
      ? [...this.#subproof(first, from, from + k, isWhole), this.#mth(from + k, to)]
      : [...this.#subproof(first - k, from + k, to, false), this.#mth(from, from + k)];
  }
}

/** The largest power of two smaller than n. */
function split(n: number): number {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}
