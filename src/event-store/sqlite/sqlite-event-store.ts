import type Database from 'better-sqlite3';
import type { NewEnvelope } from '../../kernel/envelope.js';
import {
  EventStoreUnavailable,
  type Appended,
  type AppendConflict,
  type Basis,
  type DeletableEventStore,
  type EventFilter,
  type ExpectedRevision,
  type Position,
  type RecordedEnvelope,
  type SubscriptionMessage,
} from '../port.js';
import { refuseUnusable } from '../append-arguments.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { appendInTransaction, rowsBrought, type AppendOutcome } from './append.js';
import { StreamDeletion } from './delete-streams.js';
import { durabilitySettings, openDatabase, type DurabilitySettings } from './database.js';
import {
  isRowid,
  StoredEvent,
  toPosition,
  toRow,
  toRowid,
  type AppendRequest,
  type EventRow,
} from '../event-row.js';
import { Subscriptions, type SubscriptionSource } from '../subscription.js';
import { letOthersRun } from '../../threads/let-others-run.js';
import { EVENT_STORE_FILE, SELECT_EVENTS } from './event-store-file.js';
import { EventScan } from './event-scan.js';
import { GroupCommit } from './group-commit.js';
import { HeadWatch } from './head-watch.js';
import { LogTail } from './log-tail.js';
import { PATIENCE_MS, untilFree } from './patience.js';

const APPENDS_PER_COMMIT = 64;
const POLL_MS = 50;
/** As SQLite spells it. */
const NO_LIMIT = -1;

export interface SqliteEventStoreOptions {
  /** Milliseconds that a call waits for another process's lock (default 5000). */
  readonly patienceMs?: number;
  /** Milliseconds between looks for other processes' events while a subscription waits (50). */
  readonly pollMs?: number;
  /** Told of every fault that a subscription outlives, for the log of the operator. */
  readonly onFault?: (fault: unknown) => void;
}

/**
 * Opens an event store in one SQLite file, made when it is not there. Several stores, also of
 * several processes on one machine, may use one file.
 * @throws {EventStoreUnavailable} when the file cannot be opened or was written by another program
 * or another schema version.
 */
export async function openSqliteEventStore(
  path: string,
  options: SqliteEventStoreOptions = {},
): Promise<SqliteEventStore> {
  return new SqliteEventStore(await openDatabase(path, EVENT_STORE_FILE), options);
}

/** The embedded engine: see the port for what it promises. Made by {@link openSqliteEventStore}. */
export class SqliteEventStore implements DeletableEventStore {
  readonly #patienceMs: number;
  readonly #onFault: (fault: unknown) => void;
  readonly #appends: GroupCommit<AppendRequest, AppendOutcome>;
  readonly #watch: HeadWatch;
  readonly #tail: LogTail;
  readonly #subscriptions = new Subscriptions();
  readonly #readStream: Database.Statement<[string, number, number], EventRow>;
  readonly #readLast: Database.Statement<[string], EventRow>;
  readonly #readHead: Database.Statement<[], number>;
  readonly #deletion: StreamDeletion;
  #closing: Promise<void> | undefined;

  constructor(
    private readonly database: Database.Database,
    options: SqliteEventStoreOptions,
  ) {
    this.#patienceMs = options.patienceMs ?? PATIENCE_MS;
    this.#onFault = options.onFault ?? (() => undefined);
    this.#readStream = database
      .prepare<[string, number, number], EventRow>(
        `${SELECT_EVENTS} WHERE name = ? AND revision >= ? ORDER BY revision LIMIT +?`,
      )
      .raw();
    this.#readLast = database
      .prepare<[string], EventRow>(`${SELECT_EVENTS} WHERE name = ? ORDER BY revision DESC LIMIT 1`)
      .raw();
    // The sequence and not the newest row, which may have been deleted.
    this.#readHead = database
      .prepare<[], number>("SELECT seq FROM sqlite_sequence WHERE name = 'events'")
      .pluck();
    this.#tail = new LogTail(database, () => this.#head());
    this.#watch = new HeadWatch(() => this.#head(), options.pollMs ?? POLL_MS);
    this.#deletion = new StreamDeletion(database, this.#patienceMs, () => {
      this.#tail.noteDeletion();
    });
    this.#appends = new GroupCommit(database, {
      apply: appendInTransaction(database),
      maxGroup: APPENDS_PER_COMMIT,
      patienceMs: this.#patienceMs,
      onCommit: (done) => {
        this.#tail.noteAppended(rowsBrought(done));
        this.#watch.noteCommit();
      },
    });
  }

  async append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEnvelope[],
    basis: Basis = {},
  ): Promise<Result<Appended, AppendConflict>> {
    this.#refuseClosed();
    refuseUnusable(stream, expected, events, basis);
    // Written out now, so that nobody's later change of an object reaches the log.
    const rows = events.map(toRow);
    const after = expected === 'no-stream' ? -1 : expected;
    const outcome = await this.#appends.submit({ stream, after, rows, basis });
    if ('code' in outcome) return err(outcome);
    const { position, isNew } = outcome;
    const revision = after + rows.length;
    return ok({ revision, position: toPosition(position), ...(isNew && { isNew }) });
  }

  readStream(stream: string, from = 0, limit = Infinity): Promise<readonly RecordedEnvelope[]> {
    return untilFree(this.#patienceMs, () => {
      this.#refuseClosed();
      const newest = this.#tail.ofStream(stream, from);
      const events = newest?.slice(0, limit) ?? this.#streamFromFile(stream, from, limit);
      return events.map(({ envelope }) => envelope);
    });
  }

  async readLast(stream: string): Promise<RecordedEnvelope | undefined> {
    const last = await untilFree(this.#patienceMs, () => {
      this.#refuseClosed();
      return this.#tail.lastOf(stream) ?? this.#lastFromFile(stream);
    });
    return last?.envelope;
  }

  /** Ends at what was the head when the reading began. */
  async *readAll(after: Position, filter?: EventFilter): AsyncGenerator<RecordedEnvelope> {
    let cursor = toRowid(after);
    const head = toRowid(await this.head());
    const scan = new EventScan(this.database, this.#tail, filter);
    while (cursor < head) {
      const from = cursor;
      const page = await untilFree(this.#patienceMs, () => {
        this.#refuseClosed();
        return scan.page(from, head);
      });
      for (const { envelope } of page.events) yield envelope;
      cursor = page.end;
      if (cursor < head) await letOthersRun();
    }
  }

  /**
   * Outlives every fault of the engine. Ends with {@link EventStoreUnavailable} when the log ends
   * before `after` or holds a damaged event, which no waiting would mend.
   */
  subscribeAll(
    after: Position,
    options: { readonly filter?: EventFilter; readonly signal?: AbortSignal } = {},
  ): AsyncIterable<SubscriptionMessage> {
    const rowid = toRowid(after);
    return {
      [Symbol.asyncIterator]: () => {
        let scan: EventScan | undefined;
        const source: SubscriptionSource = {
          readPage: (from, head) => {
            scan ??= new EventScan(this.database, this.#tail, options.filter);
            return scan.page(from, head);
          },
          readHead: () => this.#head(),
          watch: this.#watch,
          onFault: this.#onFault,
        };
        return this.#subscriptions.open(source, rowid, options.signal);
      },
    };
  }

  async head(): Promise<Position> {
    return await untilFree(this.#patienceMs, () => {
      this.#refuseClosed();
      return toPosition(this.#head());
    });
  }

  async holds(position: Position): Promise<boolean> {
    return isRowid(position) && position <= (await this.head());
  }

  async deleteStreams(heads: ReadonlyMap<string, Position>): Promise<ReadonlySet<string>> {
    this.#refuseClosed();
    return await this.#deletion.delete(heads);
  }

  /** The settings in force on this connection: what acknowledged means. */
  durability(): DurabilitySettings {
    return durabilitySettings(this.database);
  }

  /** Ends the subscriptions, answers the appends under way, then closes the file. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#subscriptions.endAll();
    await this.#appends.close();
    this.database.close();
  }

  #streamFromFile(stream: string, from: number, limit: number): StoredEvent[] {
    // With the event before, so that also an empty answer tells where the stream ends.
    const first = Math.max(from - 1, 0);
    const most = limit + (from - first);
    const events = this.#readStream
      .all(stream, first, most === Infinity ? NO_LIMIT : most)
      .map((row) => new StoredEvent(row));
    const last = events.at(-1);
    // An answer that is full tells nothing of what comes after it.
    if (last !== undefined && events.length < most) this.#tail.learnHead(stream, last.revision);
    return events.filter(({ revision }) => revision >= from);
  }

  #lastFromFile(stream: string): StoredEvent | undefined {
    const row = this.#readLast.get(stream);
    if (row === undefined) return undefined;
    const last = new StoredEvent(row);
    this.#tail.learnHead(stream, last.revision);
    return last;
  }

  #head(): number {
    const head = this.#readHead.get() ?? 0;
    this.#tail.noteHead(head);
    return head;
  }

  #refuseClosed(): void {
    if (this.#closing !== undefined) throw new EventStoreUnavailable('the event store is closed');
  }
}
