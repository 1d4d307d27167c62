import { HASH_BYTES, sameHash } from '../../kernel/merkle.js';
import type { ReadStatement } from '../../projections/port.js';
import { ReadDatabaseDamaged, type ReadDatabase } from '../../projections/read-database.js';
import { requireSound } from './sound-tree.js';
import { getState, getTile, hasTables, leavesLike, NOTHING, type TreeState } from './tables.js';
import { TILE_WIDTH, TreeHashes } from './tree-hashes.js';
import type { ProvenRoot } from './tree-progress.js';

/** What is stored of the tree, read afresh at every question: another thread may be writing it. */
export class TreeView {
  /** @param onDamage told when the file turns out not to be sound; whoever has asked is told, too. */
  constructor(
    private readonly database: Pick<ReadDatabase, 'prepare'>,
    private readonly onDamage: (fault: ReadDatabaseDamaged) => void = () => undefined,
  ) {}

  get state(): TreeState {
    return this.isThere ? getState(this) : NOTHING;
  }

  get size(): number {
    return this.state.size;
  }

  /** False until the tree was begun, also anew: there are no tables yet. */
  get isThere(): boolean {
    return hasTables(this);
  }

  prepare<Row>(sql: string): ReadStatement<Row> {
    const statement = this.database.prepare<Row>(sql);
    return {
      get: (...parameters) => this.#noticing(() => statement.get(...parameters)),
      all: (...parameters) => this.#noticing(() => statement.all(...parameters)),
    };
  }

  /** The root of the whole tree as it was seen. @throws {ReadDatabaseDamaged} unless it is proved to be so */
  rootOf(seen: TreeState): Uint8Array {
    return this.#noticing(() => requireSound(seen, this.hashes()));
  }

  /** @throws {ReadDatabaseDamaged} unless the stored tree has this root, which its events have */
  requireRoot({ size, rootHash }: ProvenRoot): void {
    this.#noticing(() => {
      if (sameHash(this.hashes().rootAt(size), rootHash)) return;
      throw new ReadDatabaseDamaged(
        `the tiles of ${String(size)} leaves are not of the log's events`,
      );
    });
  }

  /**
   * Somebody else has written to the stream `log`, and since then the tree has come to the head of the log.
   * @param revision of the newest event of the stream before that
   * @param seen the tree as it was when nothing could be appended on it
   * @throws {ReadDatabaseDamaged} unless the tree has taken that event, and none that is not there
   */
  requireTaken(revision: number, seen: TreeState): void {
    this.#noticing(() => {
      const { logRevision } = this.state;
      if (seen.logRevision <= revision && revision <= logRevision) return;
      throw new ReadDatabaseDamaged(
        `the tree is at event ${String(logRevision)} of the stream log, which is at ${String(revision)}`,
      );
    });
  }

  /** Roots and proofs, for one question at a time, or for many that a reader has about one tree. */
  hashes(): TreeHashes {
    return new TreeHashes((level, number) => this.tile(level, number));
  }

  /** The hashes of a tile as they are stored. @throws {RangeError} when the tree has no such tile */
  tile(level: number, number: number): Uint8Array {
    if (!this.isThere) throw new RangeError('the tree is empty');
    return getTile(this, level, number);
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
    return leavesLike(this, hash).find((index) => sameHash(this.leafAt(index), hash));
  }

  #noticing<T>(query: () => T): T {
    try {
      return query();
    } catch (error) {
      if (error instanceof ReadDatabaseDamaged) this.onDamage(error);
      throw error;
    }
  }
}
