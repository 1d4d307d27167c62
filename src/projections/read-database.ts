import type { ProjectionDatabase, ReadStatement } from './port.js';

/** The database behind the views. One writer (the projection runner), any number of readers. */
export interface ReadDatabase {
  /**
   * Runs synchronous work in one transaction: all of it or nothing. What the work throws comes out
   * again, faults of the database itself as one of the two errors below.
   *
   * @param commit `later`: it may share a commit with what follows, so that a page which many change
   * is written once; the next `now`, or `flush`, commits what there is. Until then they are undone
   * together, by a crash, a fault of the database or what the work of one of them throws: a mark to
   * go back to, before each of them, would have every changed page copied. See `isCutBack`.
   */
  transaction<T>(work: (db: ProjectionDatabase) => T, commit?: 'now' | 'later'): T;

  /** Commits what was left for later. */
  flush(): void;

  /** Inside a transaction: work that is undone alone when it throws. */
  attempt(work: () => void): void;

  /** Work of before was undone that was left for later: everything is refused until `resume`. */
  readonly isCutBack: boolean;

  /** Takes work again after some was undone: the caller asks anew how far the views are. */
  resume(): void;

  /** A query outside of transactions; sees what they have done, committed or not. */
  prepare<Row>(sql: string): ReadStatement<Row>;

  /** Moves a damaged database aside and goes on with an empty one. */
  replace(): void;

  /** Commits what was left for later, and closes. */
  close(): void;
}

/** Disk full, locked, no permission: it may work later, and no event is to blame. */
export class ReadDatabaseUnavailable extends Error {
  override readonly name = 'ReadDatabaseUnavailable';
}

/** The file is not, or no longer, a sound database: `replace` it and rebuild. */
export class ReadDatabaseDamaged extends Error {
  override readonly name = 'ReadDatabaseDamaged';
}

export function isDatabaseFault(
  error: unknown,
): error is ReadDatabaseUnavailable | ReadDatabaseDamaged {
  return error instanceof ReadDatabaseUnavailable || error instanceof ReadDatabaseDamaged;
}
