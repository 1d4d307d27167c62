import { HASH_BYTES } from '../../kernel/merkle.js';
import { rootOf, TILE_WIDTH } from './tree-hashes.js';

/** Where tiles are written. */
export interface TileWriter {
  /** A tile as it is now, from its begin: later written again when it was not full. */
  put(level: number, number: number, hashes: Uint8Array): void;
}

/** The last tile of a level, while it is not full. */
interface EdgeTile {
  readonly hashes: Uint8Array;
  /** Hashes in it. */
  count: number;
  isChanged: boolean;
}

/** The right edge of a tree in tiles, and how it grows. */
export class GrowingTiles {
  readonly #edge: EdgeTile[] = [];
  #size: number;

  /** @param readTile the stored hashes of a tile; asked once for each level. */
  constructor(size: number, readTile: (level: number, number: number) => Uint8Array) {
    this.#size = size;
    for (let level = 0, hashes = size; hashes > 0; level++) {
      const count = hashes % TILE_WIDTH;
      const tile = emptyTile();
      if (count > 0) {
        const stored = readTile(level, Math.floor(hashes / TILE_WIDTH));
        tile.hashes.set(stored.subarray(0, count * HASH_BYTES));
        tile.count = count;
      }
      this.#edge.push(tile);
      hashes = Math.floor(hashes / TILE_WIDTH);
    }
  }

  /** Leaves so far. */
  get size(): number {
    return this.#size;
  }

  append(leafHash: Uint8Array, writer: TileWriter): void {
    this.#size++;
    let hash = leafHash;
    for (let level = 0, at = this.#size; ; level++) {
      const tile = (this.#edge[level] ??= emptyTile());
      tile.hashes.set(hash, tile.count * HASH_BYTES);
      tile.count++;
      tile.isChanged = true;
      if (tile.count < TILE_WIDTH) return;
      at /= TILE_WIDTH;
      writer.put(level, at - 1, tile.hashes);
      hash = rootOf(tile.hashes);
      tile.count = 0;
      tile.isChanged = false;
    }
  }

  /** Writes what has changed since the last time. */
  flush(writer: TileWriter): void {
    let hashes = this.#size;
    this.#edge.forEach((tile, level) => {
      const number = Math.floor(hashes / TILE_WIDTH);
      if (tile.isChanged) {
        writer.put(level, number, tile.hashes.subarray(0, tile.count * HASH_BYTES));
        tile.isChanged = false;
      }
      hashes = number;
    });
  }
}

function emptyTile(): EdgeTile {
  return { hashes: new Uint8Array(TILE_WIDTH * HASH_BYTES), count: 0, isChanged: false };
}
