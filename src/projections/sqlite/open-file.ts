import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { ReadDatabaseDamaged } from '../read-database.js';
import { StatementCache } from './statement-cache.js';
import { BUSY_TIMEOUT_MS } from './write-ahead-log.js';

/** The file of a read database while it is open: one connection writes, the other only reads. */
export class OpenFile {
  readonly writes: StatementCache;
  readonly reads: StatementCache;
  readonly #reader: Database.Database;

  private constructor(
    private readonly file: string,
    private readonly inode: number,
    readonly writer: Database.Database,
  ) {
    this.#reader = new Database(file, { readonly: true });
    this.writes = new StatementCache(writer);
    this.reads = new StatementCache(this.#reader);
  }

  /**
   * Makes the file when it is missing; its folder must be there.
   * @throws {ReadDatabaseDamaged} when it is no sound database, and whatever the driver throws
   */
  static open(file: string): OpenFile {
    const existed = existsSync(file);
    // Only the owner reads it; SQLite gives the files beside it the same mode.
    closeSync(openSync(file, 'a', 0o600));
    chmodSync(file, 0o600);
    const { ino } = statSync(file);
    const writer = new Database(file, { timeout: BUSY_TIMEOUT_MS });
    try {
      configure(writer);
      if (existed && writer.pragma('quick_check(1)', { simple: true }) !== 'ok') {
        throw new ReadDatabaseDamaged('quick_check');
      }
      return new OpenFile(file, ino, writer);
    } catch (error) {
      closeQuietly(writer);
      throw error;
    }
  }

  /** It was deleted or exchanged: what is done to it, nobody else sees. */
  get isMoved(): boolean {
    return statSync(this.file, { throwIfNoEntry: false })?.ino !== this.inode;
  }

  close(): void {
    closeQuietly(this.#reader);
    closeQuietly(this.writer);
  }
}

function configure(writer: Database.Database): void {
  writer.pragma('journal_mode = WAL');
  writer.pragma('synchronous = NORMAL');
  // Rows with texts leave no trace once they are gone.
  writer.pragma('secure_delete = ON');
  writer.pragma('temp_store = MEMORY');
  writer.pragma('cache_size = -65536');
  // A rebuild would otherwise flush its pages several times over.
  writer.pragma('wal_autocheckpoint = 16384');
  writer.pragma('journal_size_limit = 67108864');
}

/** A damaged file may not even close well, and nothing in it is worth keeping. */
function closeQuietly(connection: Database.Database): void {
  try {
    connection.close();
  } catch {
    // See above.
  }
}
