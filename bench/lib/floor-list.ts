import Database from 'better-sqlite3';
import type { InteractionId } from '../../src/kernel/ids.js';
import type { SqlValue } from '../../src/projections/port.js';
import { SqliteReadDatabase } from '../../src/projections/sqlite/sqlite-read-database.js';

/** What one flow left in the view that lists interactions. */
export interface StoredListing {
  /** Of the tables, to make them anew. */
  readonly schema: string;
  readonly interactionId: InteractionId;
  /** As the acceptance left it: position and interaction id first. */
  readonly row: readonly SqlValue[];
  readonly finders: readonly string[];
}

/** Reads the newest interaction in force off a running service's list. */
export function readStoredListing(readDatabase: string): StoredListing {
  const database = new Database(readDatabase, { readonly: true });
  try {
    const row = database
      .prepare(
        "SELECT * FROM interaction_list WHERE status = 'active' ORDER BY position DESC LIMIT 1",
      )
      .raw()
      .get() as [position: string, interactionId: InteractionId, ...rest: SqlValue[]];
    const tables = database
      .prepare<[], string>(
        `SELECT sql FROM sqlite_schema
         WHERE name IN ('interaction_list', 'interaction_list_finders')`,
      )
      .pluck()
      .all();
    return {
      schema: tables.join(';'),
      interactionId: row[1],
      row,
      finders: database
        .prepare<[string], string>('SELECT finder FROM interaction_list_finders WHERE position = ?')
        .pluck()
        .all(row[0]),
    };
  } finally {
    database.close();
  }
}

/**
 * The list's rows of the same flows: a row and its finders for a proposal, one change of it for an
 * acceptance, in commits that groups share without a flush, as the service's views have them.
 */
export class FloorList {
  readonly #database: SqliteReadDatabase;
  #position = 0;

  constructor(
    file: string,
    private readonly listing: StoredListing,
  ) {
    this.#database = new SqliteReadDatabase(file);
    this.#database.transaction((db) => {
      db.exec(listing.schema);
    });
  }

  propose(interactionIds: readonly InteractionId[]): void {
    const [, , ...rest] = this.listing.row;
    const { finders } = this.listing;
    const values = ['?', '?', ...rest.map(() => '?')].join(', ');
    this.#database.transaction((db) => {
      const insert = db.prepare(`INSERT INTO interaction_list VALUES (${values})`);
      const find = db.prepare(
        `INSERT INTO interaction_list_finders VALUES ${finders.map(() => '(?, ?)').join(', ')}`,
      );
      for (const id of interactionIds) {
        const position = String(++this.#position).padStart(20, '0');
        insert.run(position, id, ...rest);
        find.run(...finders.flatMap((finder) => [finder, position]));
      }
    }, 'later');
  }

  accept(interactionIds: readonly InteractionId[]): void {
    this.#database.transaction((db) => {
      const update = db.prepare(
        `UPDATE interaction_list SET status = 'active', is_open = 0, is_in_force = 1,
           accepted = accepted || '', updated_at = updated_at || '', updated_key = updated_key || ''
         WHERE interaction_id = ?`,
      );
      for (const id of interactionIds) update.run(id);
    }, 'later');
  }

  close(): void {
    this.#database.close();
  }
}
