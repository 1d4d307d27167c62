import type Database from 'better-sqlite3';
import type { Position } from '../port.js';
import { checkpoint } from './wal-checkpoint.js';
import { toRowid } from '../event-row.js';
import { untilFree } from './patience.js';

/**
 * Deletions are counted beside the positions, in SQLite's own table of sequences, so that every
 * process which keeps events in memory notices; it takes rows of other names.
 */
const DELETIONS = 'deletions of streams';
export const COUNT_DELETIONS = `SELECT seq FROM sqlite_sequence WHERE name = '${DELETIONS}'`;

/** Takes whole streams out of the file, and their bytes out of it and its write-ahead log. */
export class StreamDeletion {
  /** The log may hold what was deleted: an earlier call could not empty it. */
  #logHoldsDeleted = false;

  constructor(
    private readonly database: Database.Database,
    private readonly patienceMs: number,
    /** Called after each deletion, before anybody is told. */
    private readonly onDelete: () => void,
  ) {
    // From the first write on: what is moved between pages must leave no copy behind either.
    database.pragma('secure_delete = ON');
  }

  /** @throws {EventStoreUnavailable} also when a reader keeps the log from being emptied: call again. */
  async delete(heads: ReadonlyMap<string, Position>): Promise<ReadonlySet<string>> {
    const wanted = [...heads].map(([name, head]) => [name, toRowid(head)] as const);
    let deleted: ReadonlySet<string> = new Set();
    if (wanted.length > 0) {
      // Synchronous, so that no group commit of this connection is ever in between.
      deleted = await untilFree(this.patienceMs, () => this.#deleteAtOnce(wanted));
      if (deleted.size > 0) {
        this.#logHoldsDeleted = true;
        this.onDelete();
      }
    }
    if (this.#logHoldsDeleted) {
      await checkpoint(this.database, this.patienceMs, ({ busy, log }) => busy === 0 && log === 0);
      this.#logHoldsDeleted = false;
    }
    return deleted;
  }

  #deleteAtOnce(wanted: readonly (readonly [name: string, head: number])[]): ReadonlySet<string> {
    const select = this.database
      .prepare<[string], readonly [number: number, head: number]>(
        `SELECT number, (SELECT position FROM events WHERE stream = number
           ORDER BY revision DESC LIMIT 1) FROM streams WHERE name = ?`,
      )
      .raw();
    const deleteEvents = this.database.prepare<[number]>('DELETE FROM events WHERE stream = ?');
    const deleteStream = this.database.prepare<[number]>('DELETE FROM streams WHERE number = ?');
    return this.database
      .transaction(() => {
        const deleted = new Set<string>();
        for (const [name, head] of wanted) {
          const found = select.get(name);
          if (found?.[1] !== head) continue;
          deleteEvents.run(found[0]);
          deleteStream.run(found[0]);
          deleted.add(name);
        }
        if (deleted.size > 0) this.#count();
        return deleted;
      })
      .immediate();
  }

  #count(): void {
    const counted = this.database
      .prepare<[string]>('UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = ?')
      .run(DELETIONS);
    if (counted.changes > 0) return;
    this.database.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, 1)').run(DELETIONS);
  }
}
