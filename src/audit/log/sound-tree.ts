import { sameHash } from '../../kernel/merkle.js';
import { ReadDatabaseDamaged } from '../../projections/read-database.js';
import { frontierOf, type TreeState } from './tables.js';
import type { TreeHashes } from './tree-hashes.js';

/**
 * Compares the root of the stored tiles with that of the frontier, which was computed from the leaves
 * apart from them: a database does not notice every bit that a disk has changed, and what is signed
 * cannot be taken back.
 *
 * @returns the root
 * @throws {ReadDatabaseDamaged}
 */
export function requireSound(state: TreeState, hashes: TreeHashes): Uint8Array {
  try {
    const root = hashes.rootAt(state.size);
    if (sameHash(frontierOf(state).root(), root)) return root;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw new ReadDatabaseDamaged(`the tiles of ${String(state.size)} leaves are not theirs`);
}
