import Database from 'better-sqlite3';
import type { RestingPlace } from '../../../audit/verify/replay/resting-states.js';
import { AuditFault } from '../audit-fault.js';

/** KiB of a database's pages in memory; what is more goes to the disk. */
const CACHE_KIB = 4096;

/**
 * What an audit notes beside its memory, in a temporary database: a file without a name in the folder
 * that `TMPDIR` names, else in `/var/tmp`. It is gone with the process, however that ends.
 *
 * That there is no room for it is nobody's bug: whatever is done with it then throws an
 * {@link AuditFault}, `output-unwritable`.
 */
export class TemporaryTables {
  readonly #database = new Database('');

  constructor() {
    this.#database.pragma('journal_mode = OFF');
    this.#database.pragma('synchronous = OFF');
    this.#database.pragma(`cache_size = -${String(CACHE_KIB)}`);
    // Nobody else reads it, and it is never taken up again: nothing is ever committed.
    this.#database.exec('BEGIN');
  }

  /** A table of its own. The name is none of the log's: it stands in statements. */
  table(name: string): RestingPlace {
    onDisk(() =>
      this.#database.exec(`CREATE TABLE ${name} (name TEXT NOT NULL UNIQUE, text TEXT NOT NULL)`),
    );
    const prepare = (sql: string) => this.#database.prepare<unknown[], string>(sql);
    const one = prepare(`SELECT text FROM ${name} WHERE name = ?`).pluck();
    const put = prepare(
      `INSERT INTO ${name} VALUES (?, ?) ON CONFLICT DO UPDATE SET text = excluded.text`,
    );
    const remove = prepare(`DELETE FROM ${name} WHERE name = ?`);
    const page = this.#database
      .prepare<unknown[], [string, string]>(
        `SELECT name, text FROM ${name} WHERE name > ? ORDER BY name LIMIT +?`,
      )
      .raw();
    return {
      get: (key) => onDisk(() => one.get(key)),
      set: (key, text) => void onDisk(() => put.run(key, text)),
      delete: (key) => void onDisk(() => remove.run(key)),
      page: (after, most) => onDisk(() => page.all(after, most)),
    };
  }

  close(): void {
    this.#database.close();
  }
}

/** A full disk, one that fails, a folder in which no file can be made. */
const DISK_CODES = /^SQLITE_(FULL|IOERR|CANTOPEN)/;

function onDisk<Value>(work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Database.SqliteError) || !DISK_CODES.test(error.code)) throw error;
    throw new AuditFault(
      'output-unwritable',
      `a temporary file, where TMPDIR says (${error.code})`,
    );
  }
}
