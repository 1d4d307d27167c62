import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type Database from 'better-sqlite3';
import type { ProjectionDatabase, ReadStatement } from '../port.js';
import {
  isDatabaseFault,
  ReadDatabaseDamaged,
  ReadDatabaseUnavailable,
  type ReadDatabase,
} from '../read-database.js';
import { setAside } from './damaged-file.js';
import { asDatabaseFault, orDatabaseFault } from './faults.js';
import { OpenFile } from './open-file.js';
import { Past } from './past.js';
import { TransactionHandle } from './transaction-handle.js';

/** How many pieces of work share a commit at most. */
const PIECES_PER_COMMIT = 512;

/**
 * The read-model database as one SQLite file, deleted at will. Commits are not flushed one by one: what
 * a crash takes away is read from the log again, rows and checkpoint together.
 */
export class SqliteReadDatabase implements ReadDatabase {
  #open: OpenFile;
  #handle: TransactionHandle;
  #inTransaction = false;
  /** Pieces of work in the open transaction. */
  #uncommitted = 0;
  /** See {@link ReadDatabase.isCutBack}. */
  #isCutBack = false;
  /** A replacement failed, so that there is no file to go on with. */
  #isGone = false;
  readonly #past: Past;

  /** @param file path of the database; its folder is made when it is missing. */
  constructor(private readonly file: string) {
    mkdirSync(dirname(file), { recursive: true });
    this.#open = openSound(file);
    this.#handle = this.#handleOf(this.#open);
    this.#past = new Past(file, () => this.#writer);
    this.#past.opened();
  }

  transaction<T>(work: (db: ProjectionDatabase) => T, commit: 'now' | 'later' = 'now'): T {
    if (this.#inTransaction) throw new Error('transactions do not nest');
    this.#refuseIncomplete();
    if (commit === 'now') this.flush();
    this.#inTransaction = true;
    try {
      if (!this.#writer.inTransaction) this.#run('BEGIN IMMEDIATE');
      const result = work(this.#handle);
      this.#uncommitted++;
      if (commit === 'now' || this.#uncommitted >= PIECES_PER_COMMIT) this.flush();
      return result;
    } catch (error) {
      this.#undoAll();
      throw asDatabaseFault(error);
    } finally {
      this.#inTransaction = false;
    }
  }

  flush(): void {
    if (!this.#writer.inTransaction) return;
    try {
      this.#run('COMMIT');
      this.#uncommitted = 0;
      this.#past.committed();
    } catch (error) {
      this.#undoAll();
      throw asDatabaseFault(error);
    }
  }

  attempt(work: () => void): void {
    this.#run('SAVEPOINT attempt');
    try {
      work();
    } catch (error) {
      const fault = asDatabaseFault(error);
      if (this.#writer.inTransaction && !isDatabaseFault(fault)) {
        this.#run('ROLLBACK TO attempt');
        this.#run('RELEASE attempt');
      }
      throw fault;
    }
    this.#run('RELEASE attempt');
  }

  get isCutBack(): boolean {
    return this.#isCutBack;
  }

  resume(): void {
    this.#isCutBack = false;
  }

  prepare<Row>(sql: string): ReadStatement<Row> {
    return {
      get: (...parameters) => orDatabaseFault(() => this.#query(sql).get(...parameters) as Row),
      all: (...parameters) => orDatabaseFault(() => this.#query(sql).all(...parameters) as Row[]),
    };
  }

  /** Its file was deleted or exchanged while it was open: what is done to it, nobody else sees. */
  get isMoved(): boolean {
    return this.#open.isMoved;
  }

  /**
   * Keeps the damaged file aside until texts are purged or the next process opens the database: nobody
   * can overwrite what is in it. When this throws, everything is refused as damaged until it succeeds.
   */
  replace(): void {
    this.#uncommitted = 0;
    this.close();
    this.#isGone = true;
    setAside(this.file);
    this.#open = OpenFile.open(this.file);
    this.#handle = this.#handleOf(this.#open);
    this.#isGone = false;
  }

  close(): void {
    try {
      this.flush();
    } catch {
      // It is read from the log again.
    }
    this.#past.workOff();
    this.#open.close();
  }

  get #writer(): Database.Database {
    return this.#open.writer;
  }

  #handleOf(file: OpenFile): TransactionHandle {
    return new TransactionHandle(
      file,
      () => this.#inTransaction,
      () => {
        this.#past.purge();
      },
    );
  }

  /** Only the connection that writes sees what is not committed. */
  #query(sql: string): Database.Statement {
    this.#refuseIncomplete();
    if (!this.#writer.inTransaction) return this.#open.reads.statement(sql);
    const statement = this.#open.writes.statement(sql);
    if (!statement.readonly) throw new TypeError(`not a query: ${sql}`);
    return statement;
  }

  #run(sql: string): void {
    this.#open.writes.statement(sql).run();
  }

  #undoAll(): void {
    // SQLite has already rolled back by itself after some faults, such as a full disk.
    if (this.#writer.inTransaction) this.#run('ROLLBACK');
    this.#isCutBack ||= this.#uncommitted > 0;
    this.#uncommitted = 0;
  }

  #refuseIncomplete(): void {
    if (this.#isGone) throw new ReadDatabaseDamaged('it could not be replaced');
    // Whoever counts on what was undone would leave a gap.
    if (this.#isCutBack) throw new ReadDatabaseUnavailable('some of its rows were undone');
  }
}

/** A damaged file is moved aside for an empty one. */
function openSound(file: string): OpenFile {
  try {
    return OpenFile.open(file);
  } catch (error) {
    const fault = asDatabaseFault(error);
    if (!(fault instanceof ReadDatabaseDamaged)) throw fault;
  }
  setAside(file);
  return OpenFile.open(file);
}
