import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import type {
  ProjectionDatabase,
  ReadStatement,
  SqlParameters,
  SqlValue,
  WriteStatement,
} from '../port.js';
import {
  isDatabaseFault,
  ReadDatabaseDamaged,
  ReadDatabaseUnavailable,
  type ReadDatabase,
} from '../read-database.js';

/** Result codes after which the file is given up; the log can always make another. */
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB|FORMAT|READONLY_DBMOVED)/;
/** Result codes that say nothing about the event at hand. */
const UNAVAILABLE =
  /^SQLITE_(FULL|IOERR|BUSY|LOCKED|CANTOPEN|READONLY|NOMEM|PERM|PROTOCOL|INTERRUPT)/;

/** How many pieces of work share a commit at most. */
const PIECES_PER_COMMIT = 128;

/** After a purge was asked for, so that those of one moment share it; and between two tries. */
const PURGE_AFTER_MS = 250;

/** Milliseconds that the driver waits for another connection, and everything else meanwhile. */
const BUSY_TIMEOUT_MS = 5_000;

const SIDE_FILES = ['-wal', '-shm', '-journal'];

/**
 * The read-model database as one SQLite file, deleted at will. `secure_delete` is on, so that rows
 * with texts leave no trace once they are gone. Commits are not flushed one by one: what a crash
 * takes away is read from the log again, rows and checkpoint together.
 */
export class SqliteReadDatabase implements ReadDatabase {
  #writer!: Database.Database;
  #reader!: Database.Database;
  #writes!: StatementCache;
  #reads!: StatementCache;
  /** Of the file that is open. */
  #inode!: number;
  #inTransaction = false;
  /** Pieces of work in the open transaction. */
  #uncommitted = 0;
  /** Some of them were undone, and nobody has asked since how far the views are. */
  #isCutBack = false;
  /** Texts were overwritten whose old pages the write-ahead log still holds. */
  #isToPurge = false;
  #purging: NodeJS.Timeout | undefined;

  /** @param file path of the database; its folder is made when it is missing. */
  constructor(private readonly file: string) {
    mkdirSync(dirname(file), { recursive: true });
    try {
      this.#open();
    } catch (error) {
      if (!(translate(error) instanceof ReadDatabaseDamaged)) throw translate(error);
      this.replace();
    }
  }

  transaction<T>(work: (db: ProjectionDatabase) => T, commit: 'now' | 'later' = 'now'): T {
    if (this.#inTransaction) throw new Error('transactions do not nest');
    this.#refuseCutBack();
    const isFirst = !this.#writer.inTransaction;
    this.#inTransaction = true;
    try {
      this.#run(isFirst ? 'BEGIN IMMEDIATE' : 'SAVEPOINT piece');
      const result = work(this.#handle);
      if (!isFirst) this.#run('RELEASE piece');
      this.#uncommitted++;
      if (commit === 'now' || this.#uncommitted >= PIECES_PER_COMMIT) this.flush();
      return result;
    } catch (error) {
      const translated = translate(error);
      if (!isFirst && this.#writer.inTransaction && !isDatabaseFault(translated)) {
        this.#run('ROLLBACK TO piece');
        this.#run('RELEASE piece');
      } else {
        this.#undoAll();
      }
      throw translated;
    } finally {
      this.#inTransaction = false;
    }
  }

  flush(): void {
    if (!this.#writer.inTransaction) return;
    try {
      this.#run('COMMIT');
      this.#uncommitted = 0;
      if (this.#isToPurge) this.#purgeSoon();
    } catch (error) {
      this.#undoAll();
      throw translate(error);
    }
  }

  attempt(work: () => void): void {
    this.#run('SAVEPOINT attempt');
    try {
      work();
    } catch (error) {
      const translated = translate(error);
      if (this.#writer.inTransaction && !isDatabaseFault(translated)) {
        this.#run('ROLLBACK TO attempt');
        this.#run('RELEASE attempt');
      }
      throw translated;
    }
    this.#run('RELEASE attempt');
  }

  resume(): void {
    this.#isCutBack = false;
  }

  prepare<Row>(sql: string): ReadStatement<Row> {
    return {
      get: (...parameters) => guarded(() => this.#query(sql).get(...parameters) as Row),
      all: (...parameters) => guarded(() => this.#query(sql).all(...parameters) as Row[]),
    };
  }

  /** Only the connection that writes sees what is not committed. */
  #query(sql: string): Database.Statement {
    this.#refuseCutBack();
    if (!this.#writer.inTransaction) return this.#reads.statement(sql);
    const statement = this.#writes.statement(sql);
    if (!statement.readonly) throw new TypeError(`not a query: ${sql}`);
    return statement;
  }

  /** Its file was deleted or exchanged while it was open: what is done to it, nobody else sees. */
  get isMoved(): boolean {
    return statSync(this.file, { throwIfNoEntry: false })?.ino !== this.#inode;
  }

  /**
   * Keeps one damaged file (`<file>.damaged`) for whoever wants to know what happened to it, until texts
   * are purged: nobody can overwrite what is in it.
   */
  replace(): void {
    this.#uncommitted = 0;
    this.close();
    for (const suffix of ['', ...SIDE_FILES]) {
      const aside = this.#aside(suffix);
      rmSync(aside, { force: true });
      if (existsSync(this.file + suffix)) renameSync(this.file + suffix, aside);
    }
    this.#open();
  }

  close(): void {
    try {
      this.flush();
    } catch {
      // It is read from the log again.
    }
    clearTimeout(this.#purging);
    this.#purging = undefined;
    for (const connection of [this.#reader, this.#writer] as (Database.Database | undefined)[]) {
      try {
        connection?.close();
      } catch {
        // A damaged file may not even close well, and nothing in it is worth keeping.
      }
    }
  }

  #purgeSoon(): void {
    this.#purging ??= setTimeout(() => {
      this.#purging = undefined;
      if (!this.#purge()) this.#purgeSoon();
    }, PURGE_AFTER_MS).unref();
  }

  /** Writes the log back and empties it; false when somebody is in the way just now. */
  #purge(): boolean {
    if (this.#writer.inTransaction) return false;
    try {
      if (!emptyLog(this.#writer)) return false;
    } catch {
      // A fault that whoever writes next meets too, and reports.
      return false;
    }
    this.#isToPurge = false;
    for (const suffix of ['', ...SIDE_FILES]) rmSync(this.#aside(suffix), { force: true });
    return true;
  }

  #aside(suffix: string): string {
    return `${this.file}.damaged${suffix}`;
  }

  #undoAll(): void {
    // SQLite has already rolled back by itself after some faults, such as a full disk.
    if (this.#writer.inTransaction) this.#run('ROLLBACK');
    this.#isCutBack ||= this.#uncommitted > 0;
    this.#uncommitted = 0;
  }

  /** Whoever counts on what was undone would leave a gap. */
  #refuseCutBack(): void {
    if (this.#isCutBack) throw new ReadDatabaseUnavailable('some of its rows were undone');
  }

  #run(sql: string): void {
    this.#writes.statement(sql).run();
  }

  #open(): void {
    const existed = existsSync(this.file);
    // Only the owner reads it; SQLite gives the files beside it the same mode.
    closeSync(openSync(this.file, 'a', 0o600));
    chmodSync(this.file, 0o600);
    this.#inode = statSync(this.file).ino;
    this.#writer = new Database(this.file, { timeout: BUSY_TIMEOUT_MS });
    this.#writer.pragma('journal_mode = WAL');
    this.#writer.pragma('synchronous = NORMAL');
    this.#writer.pragma('secure_delete = ON');
    this.#writer.pragma('temp_store = MEMORY');
    this.#writer.pragma('cache_size = -65536');
    // A rebuild would otherwise flush its pages several times over.
    this.#writer.pragma('wal_autocheckpoint = 16384');
    this.#writer.pragma('journal_size_limit = 67108864');
    if (existed && this.#writer.pragma('quick_check(1)', { simple: true }) !== 'ok') {
      throw new ReadDatabaseDamaged('quick_check');
    }
    // What a killed process has overwritten is still in its log.
    if (existed) emptyLog(this.#writer);
    this.#reader = new Database(this.file, { readonly: true });
    this.#writes = new StatementCache(this.#writer);
    this.#reads = new StatementCache(this.#reader);
  }

  readonly #handle: ProjectionDatabase = {
    prepare: <Row = Record<string, SqlValue>>(sql: string) =>
      this.#writeStatement(sql) as WriteStatement<Row>,
    exec: (sql) => {
      this.#requireTransaction();
      // A statement prepared before a table was dropped and made again is prepared anew by SQLite.
      this.#writer.exec(sql);
    },
    purge: () => {
      this.#requireTransaction();
      this.#isToPurge = true;
    },
  };

  #writeStatement(sql: string): WriteStatement<unknown> {
    this.#requireTransaction();
    return this.#writes.handle(sql, (statement) => ({
      run: (...parameters: SqlParameters) => {
        this.#requireTransaction();
        statement.run(...parameters);
      },
      get: (...parameters: SqlParameters) => {
        this.#requireTransaction();
        return statement.get(...parameters);
      },
      all: (...parameters: SqlParameters) => {
        this.#requireTransaction();
        return statement.all(...parameters);
      },
    }));
  }

  /** An asynchronous handler would write here after its transaction had ended. */
  #requireTransaction(): void {
    if (!this.#inTransaction) throw new Error('the read database is used outside of a transaction');
  }
}

/** Preparing costs more than running: once per text and connection. */
class StatementCache {
  readonly #statements = new Map<string, Database.Statement>();
  readonly #handles = new Map<string, WriteStatement<unknown>>();

  constructor(private readonly connection: Database.Database) {}

  statement(sql: string): Database.Statement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  handle(
    sql: string,
    make: (statement: Database.Statement) => WriteStatement<unknown>,
  ): WriteStatement<unknown> {
    let handle = this.#handles.get(sql);
    if (handle === undefined) {
      handle = make(this.statement(sql));
      this.#handles.set(sql, handle);
    }
    return handle;
  }
}

/** Without waiting for a reader of another process; false when there is one. */
function emptyLog(connection: Database.Database): boolean {
  connection.pragma('busy_timeout = 0');
  try {
    const [outcome] = connection.pragma('wal_checkpoint(TRUNCATE)') as [{ readonly busy: number }];
    return outcome.busy === 0;
  } finally {
    connection.pragma(`busy_timeout = ${String(BUSY_TIMEOUT_MS)}`);
  }
}

function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw translate(error);
  }
}

function translate(error: unknown): unknown {
  const code = resultCode(error);
  if (DAMAGED.test(code)) return new ReadDatabaseDamaged(code, { cause: error });
  if (UNAVAILABLE.test(code)) return new ReadDatabaseUnavailable(code, { cause: error });
  return error;
}

/** By shape: the driver's error class belongs to whichever module registry loaded it first. */
function resultCode(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}
