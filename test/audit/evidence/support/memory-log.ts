import type { Position } from '../../../../src/event-store/port.js';
import { nodeHash } from '../../../../src/kernel/merkle.js';

/** The tree as RFC 6962 section 2.1 defines it, word for word: slow, and easy to believe. */
export class MemoryLog {
  readonly #leaves: Uint8Array[] = [];

  add(...leaves: readonly Uint8Array[]): void {
    this.#leaves.push(...leaves);
  }

  /** Of the newest leaf: the positions of its events count the leaves. */
  position(): Position {
    return positionOf(this.size() - 1);
  }

  size(): number {
    return this.#leaves.length;
  }

  indexOf(leafHash: Uint8Array): number | undefined {
    const found = this.#leaves.findIndex((leaf) => Buffer.compare(leaf, leafHash) === 0);
    return found === -1 ? undefined : found;
  }

  rootAt(size: number): Uint8Array {
    return rootOf(this.#leaves.slice(0, size));
  }

  inclusionProofs(size: number): (index: number) => readonly Uint8Array[] {
    const leaves = this.#leaves.slice(0, size);
    return (index) => pathOf(index, leaves);
  }
}

/** Of the event that became this leaf. */
export function positionOf(index: number): Position {
  return String(index + 1).padStart(20, '0') as Position;
}

/** The largest power of two smaller than n. */
function split(n: number): number {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}

function rootOf(leaves: readonly Uint8Array[]): Uint8Array {
  const [only] = leaves;
  if (only === undefined) throw new Error('no test needs the empty tree');
  if (leaves.length === 1) return only;
  const k = split(leaves.length);
  return nodeHash(rootOf(leaves.slice(0, k)), rootOf(leaves.slice(k)));
}

function pathOf(index: number, leaves: readonly Uint8Array[]): readonly Uint8Array[] {
  if (leaves.length === 1) return [];
  const k = split(leaves.length);
  return index < k
    ? [...pathOf(index, leaves.slice(0, k)), rootOf(leaves.slice(k))]
    : [...pathOf(index - k, leaves.slice(k)), rootOf(leaves.slice(0, k))];
}
