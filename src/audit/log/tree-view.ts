import { HASH_BYTES, sameHash } from '../../kernel/merkle.js';
import type { ReadStatement } from '../../projections/port.js';
import type { ReadDatabase } from '../../projections/read-database.js';
import { getState, getTile, hasTables, leavesLike, NOTHING, type TreeState } from './tables.js';
import { TILE_WIDTH, TreeHashes } from './tree-hashes.js';

/** What is stored of the tree, read afresh at every question: another thread may be writing it. */
export class TreeView {
  #hasTables = false;

  constructor(private readonly database: Pick<ReadDatabase, 'prepare'>) {}

  get state(): TreeState {
    return this.isThere ? getState(this.database) : NOTHING;
  }

  get size(): number {
    return this.state.size;
  }

  /** False until the tree was begun: there are no tables yet. */
  get isThere(): boolean {
    return (this.#hasTables ||= hasTables(this.database));
  }

  prepare<Row>(sql: string): ReadStatement<Row> {
    return this.database.prepare<Row>(sql);
  }

  /** Roots and proofs, for one question at a time. */
  hashes(): TreeHashes {
    return new TreeHashes((level, number) => this.tile(level, number));
  }

  /** The hashes of a tile as they are stored. @throws {RangeError} when the tree has no such tile */
  tile(level: number, number: number): Uint8Array {
    if (!this.isThere) throw new RangeError('the tree is empty');
    return getTile(this.database, level, number);
  }

  /** @throws {RangeError} beyond the tree */
  leafAt(index: number): Uint8Array {
    const tile = this.tile(0, Math.floor(index / TILE_WIDTH));
    const begin = (index % TILE_WIDTH) * HASH_BYTES;
    if (begin >= tile.length) throw new RangeError(`no leaf ${String(index)}`);
    return tile.subarray(begin, begin + HASH_BYTES);
  }

  /** Where the leaf of this hash stands. */
  indexOf(hash: Uint8Array): number | undefined {
    if (!this.isThere || hash.length !== HASH_BYTES) return undefined;
    return leavesLike(this.database, hash).find((index) => sameHash(this.leafAt(index), hash));
  }
}
