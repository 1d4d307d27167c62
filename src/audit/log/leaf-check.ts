import type { RecordedEnvelope } from '../../event-store/port.js';
import { envelopeText } from '../../kernel/envelope.js';
import { HASH_BYTES, leafHash, MerkleFrontier, sameHash } from '../../kernel/merkle.js';
import { ReadDatabaseDamaged } from '../../projections/read-database.js';
import { differenceAt } from './difference.js';
import { rootOf, TILE_WIDTH } from './tree-hashes.js';
import type { TreeView } from './tree-view.js';

/**
 * Compares the audited events of the log, hashed anew in their order, with the leaves and tiles that
 * are stored, and computes the tree of the events apart from them.
 */
export class LeafCheck {
  #tile: { readonly number: number; readonly hashes: Uint8Array } = {
    number: -1,
    hashes: new Uint8Array(),
  };

  /** @param frontier of the leaves before the first event that is taken: they are known to be right. */
  constructor(
    private readonly tree: TreeView,
    readonly frontier = new MerkleFrontier(),
  ) {}

  /** @throws {ReadDatabaseDamaged} or LogContradicted: see `differenceAt` */
  take(event: RecordedEnvelope): void {
    const index = this.frontier.size;
    const hash = leafHash(envelopeText(event));
    if (!sameHash(this.#leafAt(index), hash)) throw differenceAt(this.tree, index, event);
    this.frontier.append(hash);
    if (this.frontier.size % TILE_WIDTH === 0) this.#requireTilesOver(index);
  }

  /**
   * All that there is has been taken: it is the stored tree of this size.
   * @throws {ReadDatabaseDamaged} or LogContradicted
   */
  end(size: number): MerkleFrontier {
    const { frontier } = this;
    if (frontier.size < size) throw differenceAt(this.tree, frontier.size, undefined);
    const root = frontier.size === size ? this.tree.hashes().rootAt(size) : new Uint8Array();
    if (!sameHash(frontier.root(), root)) throw damaged('the tiles do not lead to the root');
    return frontier;
  }

  /** Empty beyond the tree. */
  #leafAt(index: number): Uint8Array {
    const number = Math.floor(index / TILE_WIDTH);
    const begin = (index % TILE_WIDTH) * HASH_BYTES;
    if (this.#tile.number !== number || begin >= this.#tile.hashes.length) {
      this.#tile = { number, hashes: this.#storedTile(0, number) };
    }
    return this.#tile.hashes.subarray(begin, begin + HASH_BYTES);
  }

  /** Proofs read tiles of every level: each full one has its hash in the tile above. */
  #requireTilesOver(index: number): void {
    for (let level = 0, at = index + 1; at % TILE_WIDTH === 0; level++) {
      at /= TILE_WIDTH;
      const number = at - 1;
      const above = this.#storedTile(level + 1, Math.floor(number / TILE_WIDTH));
      const begin = (number % TILE_WIDTH) * HASH_BYTES;
      const stored = above.subarray(begin, begin + HASH_BYTES);
      const tile = this.#storedTile(level, number);
      if (tile.length !== TILE_WIDTH * HASH_BYTES || !sameHash(rootOf(tile), stored)) {
        throw damaged(`tile ${String(level)}/${String(number)} is not the one below its hash`);
      }
    }
  }

  #storedTile(level: number, number: number): Uint8Array {
    try {
      return this.tree.tile(level, number);
    } catch (error) {
      if (error instanceof RangeError) return new Uint8Array();
      throw error;
    }
  }
}

function damaged(message: string): ReadDatabaseDamaged {
  return new ReadDatabaseDamaged(message);
}
