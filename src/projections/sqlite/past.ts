import type Database from 'better-sqlite3';
import { removeDamaged } from './damaged-file.js';
import { Purge } from './purge.js';
import { emptyWriteAheadLog } from './write-ahead-log.js';

/**
 * What a read database keeps of its past: old pages in the write-ahead log, and a damaged file beside
 * it, in which nobody can overwrite anything.
 */
export class Past {
  readonly #oldPages: Purge;
  readonly #damagedFile: Purge;

  constructor(file: string, writer: () => Database.Database) {
    this.#oldPages = new Purge(() => !writer().inTransaction && emptyWriteAheadLog(writer()));
    this.#damagedFile = new Purge(() => {
      removeDamaged(file);
      return true;
    });
  }

  /**
   * What a killed process has overwritten is still in its log. Also of a new file: only a connection
   * that has looked into the log removes it when it is the last to be closed.
   */
  opened(): void {
    this.#oldPages.ask();
    this.#oldPages.workOff();
    this.#oldPages.committed();
  }

  /** In a transaction that overwrites texts: none of it may stay. */
  purge(): void {
    this.#oldPages.ask();
    this.#damagedFile.ask();
  }

  /** To be called after every commit. */
  committed(): void {
    this.#oldPages.committed();
    this.#damagedFile.committed();
  }

  /** What was asked for is done now, before the file is closed: afterwards nobody knows of it. */
  workOff(): void {
    this.#oldPages.workOff();
    this.#damagedFile.workOff();
  }
}
