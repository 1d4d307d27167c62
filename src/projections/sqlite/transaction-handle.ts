import type Database from 'better-sqlite3';
import type { ProjectionDatabase, SqlParameters, SqlValue, WriteStatement } from '../port.js';
import type { OpenFile } from './open-file.js';

/** What work in a transaction gets, and may use no longer than that. */
export class TransactionHandle implements ProjectionDatabase {
  readonly #statements = new Map<string, WriteStatement<unknown>>();

  constructor(
    private readonly file: OpenFile,
    private readonly isInTransaction: () => boolean,
    private readonly onPurge: () => void,
  ) {}

  prepare<Row = Record<string, SqlValue>>(sql: string): WriteStatement<Row> {
    this.#requireTransaction();
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#guarded(this.file.writes.statement(sql));
      this.#statements.set(sql, statement);
    }
    return statement as WriteStatement<Row>;
  }

  exec(sql: string): void {
    this.#requireTransaction();
    // A statement prepared before a table was dropped and made again is prepared anew by SQLite.
    this.file.writer.exec(sql);
  }

  purge(): void {
    this.#requireTransaction();
    this.onPurge();
  }

  #guarded(statement: Database.Statement): WriteStatement<unknown> {
    return {
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
    };
  }

  /** An asynchronous handler would write here after its transaction had ended. */
  #requireTransaction(): void {
    if (this.isInTransaction()) return;
    throw new Error('the read database is used outside of a transaction');
  }
}
