import type Database from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import type { EventFilter } from '../port.js';
import { COUNT_DELETIONS } from './delete-streams.js';
import { StoredEvent, type EventRow } from '../event-row.js';
import { SELECT_EVENTS } from './event-store-file.js';
import { OncePerMacrotask } from './once-per-macrotask.js';

/**
 * Events that are kept, and characters of their bodies. A reader that is further behind reads the
 * file: more would live long enough to be copied by every collection of young objects.
 */
const KEPT_EVENTS = 256;
const KEPT_CHARACTERS = 4 * 1024 * 1024;
/** More new events than this, or more characters than are kept, are left to whoever reads them page by page. */
const EVENTS_PER_LOOK = 256;
const KNOWN_HEADS = 5_000;

/**
 * The newest events of the log and the heads of streams, read once for everybody: most reads ask
 * for what was written a moment ago, or whether anything was.
 *
 * What it says is never older than the question: see {@link OncePerMacrotask} and `noteHead`. What this process has
 * written is not read back; the file is read when another process has changed it.
 */
export class LogTail {
  readonly #newer: Database.Statement<[number], EventRow>;
  readonly #countDeletions: Database.Statement<[], number>;
  /** Changes exactly when another connection has changed the file. */
  readonly #dataVersion: Database.Statement<[], number>;
  #seenVersion: number | undefined;
  #deletions: number;
  /** In log order: all events after `#begin` up to `#end`. */
  #events: StoredEvent[] = [];
  #characters = 0;
  #begin = 0;
  #end = 0;
  /** Revisions at `#end`, or later. */
  readonly #heads = new LRUCache<string, number>({ max: KNOWN_HEADS });
  readonly #look = new OncePerMacrotask(() => {
    this.#readOn();
  });

  constructor(
    database: Database.Database,
    private readonly readHead: () => number,
  ) {
    this.#newer = database
      .prepare<[number], EventRow>(
        `${SELECT_EVENTS} WHERE position > ? ORDER BY position LIMIT ${String(EVENTS_PER_LOOK)}`,
      )
      .raw();
    this.#countDeletions = database.prepare<[], number>(COUNT_DELETIONS).pluck();
    this.#deletions = this.#countDeletions.get() ?? 0;
    this.#dataVersion = database.prepare<[], number>('PRAGMA data_version').pluck();
  }

  /**
   * To be called after each commit of this process, before anybody is told, with the rows that it has
   * brought. Positions leave no gaps: what follows the newest event here is all that there is.
   */
  noteAppended(rows: readonly EventRow[]): void {
    const news = rows.filter(([position]) => position > this.#end);
    const [first] = news;
    if (first === undefined) return;
    if (first[0] === this.#end + 1) this.#add(news);
    else this.#readAgain();
  }

  /** To be called after each deletion of this process, before anybody is told. */
  noteDeletion(): void {
    this.#readAgain();
  }

  /**
   * To be called with each head that is read of the file. One beyond what was looked at in this
   * macrotask is another process's commit since: whoever has heard of it must find its events.
   */
  noteHead(head: number): void {
    if (head > this.#end) this.#look.renew();
  }

  /** The events of a stream from a revision; undefined when they are to be read from the file. */
  ofStream(stream: string, from: number): readonly StoredEvent[] | undefined {
    this.#look.ensure();
    const head = this.#heads.get(stream);
    if (head === undefined) return undefined;
    const found: StoredEvent[] = [];
    for (let index = this.#events.length - 1; found.length <= head - from; index--) {
      const event = this.#events[index];
      if (event === undefined) return undefined;
      if (event.stream === stream && event.revision >= from) found.push(event);
    }
    return found.reverse();
  }

  /** The newest event of a stream; undefined when it is to be read from the file. */
  lastOf(stream: string): StoredEvent | undefined {
    this.#look.ensure();
    return this.#events.findLast((event) => event.stream === stream);
  }

  /** Remembers what a read of the file has found, right after {@link ofStream} could not tell. */
  learnHead(stream: string, revision: number): void {
    this.#heads.set(stream, revision);
  }

  /** What a filter lets through of a part of the log; undefined when it is to be read from the file. */
  between(after: number, upTo: number, filter: EventFilter): readonly StoredEvent[] | undefined {
    this.#look.ensure();
    // Never an empty answer for a part that was not looked at: a reader would go on beyond it.
    if (after < this.#begin || upTo > this.#end) return undefined;
    const first = this.#events.findLastIndex(({ position }) => position <= after) + 1;
    return this.#events
      .slice(first)
      .filter((event) => event.position <= upTo && event.matches(filter));
  }

  #readAgain(): void {
    this.#seenVersion = undefined;
    this.#look.renew();
  }

  #readOn(): void {
    const version = this.#dataVersion.get();
    if (version === this.#seenVersion) return;
    // Before the rows are read: what comes in between is read twice rather than never.
    this.#seenVersion = version;
    const deletions = this.#countDeletions.get() ?? 0;
    if (deletions !== this.#deletions) {
      // Some of what is kept is no more, whichever process deleted it.
      this.#deletions = deletions;
      this.#beginAnew();
      return;
    }
    const rows = this.#readNewer();
    if (rows === undefined) this.#beginAnew();
    else if (rows.length > 0) this.#add(rows);
  }

  /** What has come since; undefined when it is too much to be kept. */
  #readNewer(): readonly EventRow[] | undefined {
    const rows: EventRow[] = [];
    let characters = 0;
    for (const row of this.#newer.iterate(this.#end)) {
      rows.push(row);
      characters += row[5].length;
      if (rows.length === EVENTS_PER_LOOK || characters > KEPT_CHARACTERS) return undefined;
    }
    return rows;
  }

  #add(rows: readonly EventRow[]): void {
    for (const row of rows) {
      const event = new StoredEvent(row);
      this.#events.push(event);
      this.#characters += event.characters;
      this.#end = event.position;
      this.#heads.set(event.stream, event.revision);
    }
    this.#dropOldest();
  }

  #beginAnew(): void {
    this.#heads.clear();
    this.#events = [];
    this.#characters = 0;
    this.#begin = this.#end = this.readHead();
  }

  #dropOldest(): void {
    if (this.#events.length <= 2 * KEPT_EVENTS && this.#characters <= KEPT_CHARACTERS) return;
    let count = 0;
    while (this.#events.length - count > KEPT_EVENTS || this.#characters > KEPT_CHARACTERS / 2) {
      const event = this.#events[count++];
      if (event === undefined) break;
      this.#characters -= event.characters;
      this.#begin = event.position;
    }
    this.#events.splice(0, count);
  }
}
