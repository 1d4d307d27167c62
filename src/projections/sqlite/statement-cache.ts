import type Database from 'better-sqlite3';

/** Preparing costs more than running: once per text and connection. */
export class StatementCache {
  readonly #statements = new Map<string, Database.Statement>();

  constructor(private readonly connection: Database.Database) {}

  statement(sql: string): Database.Statement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
