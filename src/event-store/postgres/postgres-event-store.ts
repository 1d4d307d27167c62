import type { NewEnvelope } from '../../kernel/envelope.js';
import type { Result } from '../../kernel/result.js';
import {
  isRowid,
  toPosition,
  toRow,
  toRowid,
  StoredEvent,
  type AppendRequest,
  type EventRow,
} from '../event-row.js';
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
import { Subscriptions, type SubscriptionSource } from '../subscription.js';
import { appendBatches } from './append.js';
import { Batches } from './batches.js';
import { Connections, PATIENCE_MS } from './connections.js';
import { StreamDeletion } from './delete-streams.js';
import { EventPages } from './event-pages.js';
import { EVENT_STORE_SCHEMA } from './event-store-schema.js';
import { HeadWatch } from './head-watch.js';
import { NewestOfStreams } from './newest-of-streams.js';
import { Notifier } from './notifier.js';
import { OncePerTurn } from './once-per-turn.js';
import { ensureSchema, schemaOf, type Schema } from './schema.js';
import { durabilitySettings, unsafeAmong } from './session.js';
import { isStorable, refuseUnstorable } from './storable-text.js';

const POLL_MS = 500;
/** As PostgreSQL spells it: LIMIT NULL. */
const NO_LIMIT = null;

export interface PostgresEventStoreOptions {
  /** Of its tables, which lie in the schema `countersign_<namespace>`: several stores share a database. */
  readonly namespace: string;
  /** Told of every fault that a subscription outlives, for the log of the operator. */
  readonly onFault?: (fault: unknown) => void;
  /** Milliseconds between looks for events whose notification was lost, while a reader waits (500). */
  readonly pollMs?: number;
  /** Milliseconds that a call waits for a connection or for another session's lock (default 5000). */
  readonly patienceMs?: number;
}

/**
 * Opens an event store in a PostgreSQL database (14 or later, UTF8), whose tables are made when they
 * are not there. Several stores, also of several nodes, may use one log.
 * @param url `postgres://user:password@host/database`, with the driver's parameters for TLS. It has to
 * lead to the server itself and not to a pooler that mixes sessions, which loses notifications.
 * @throws {EventStoreUnavailable} when the database is not there, was written by another program or
 * another version, or cannot keep the port's promises (a replica, `fsync` off). Nothing of the URL is
 * in the message.
 */
export async function openPostgresEventStore(
  url: string,
  options: PostgresEventStoreOptions,
): Promise<PostgresEventStore> {
  const schema = schemaOf(options.namespace);
  const connections = new Connections(url, options.patienceMs ?? PATIENCE_MS);
  try {
    await ensureSchema(connections, schema, EVENT_STORE_SCHEMA);
    return new PostgresEventStore(connections, schema, options);
  } catch (error) {
    await connections.close();
    throw error;
  }
}

/** The engine for those who run PostgreSQL already. Made by {@link openPostgresEventStore}. */
export class PostgresEventStore implements DeletableEventStore {
  readonly #onFault: (fault: unknown) => void;
  readonly #appends: Batches<AppendRequest, Result<Appended, AppendConflict>>;
  readonly #pages: EventPages;
  readonly #newest: NewestOfStreams;
  readonly #watch: HeadWatch;
  readonly #notifier: Notifier;
  readonly #deletion: StreamDeletion;
  readonly #subscriptions = new Subscriptions();
  readonly #heads = new OncePerTurn<number>();
  #closing: Promise<void> | undefined;

  constructor(
    private readonly connections: Connections,
    private readonly schema: Schema,
    options: PostgresEventStoreOptions,
  ) {
    this.#onFault = options.onFault ?? (() => undefined);
    this.#pages = new EventPages(connections, schema);
    this.#newest = new NewestOfStreams(connections, schema);
    this.#watch = new HeadWatch(connections, schema, {
      pollMs: options.pollMs ?? POLL_MS,
      onFault: this.#onFault,
    });
    this.#notifier = new Notifier(connections, schema);
    this.#deletion = new StreamDeletion(connections, schema);
    const onCommit = (head: number): void => {
      this.#watch.noteCommit(head);
      this.#notifier.noteCommit();
    };
    this.#appends = new Batches(appendBatches(connections, schema, onCommit));
  }

  /**
   * When the connection breaks after the events were sent, it is not known whether they are stored:
   * that is an {@link EventStoreUnavailable}, and the same append again finds out.
   */
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
    for (const text of [stream, ...rows.flatMap(({ type, id }) => [type, id])]) {
      refuseUnstorable(text);
    }
    const after = expected === 'no-stream' ? -1 : expected;
    return await this.#appends.submit({ stream, after, rows, basis });
  }

  async readStream(
    stream: string,
    from = 0,
    limit = Infinity,
  ): Promise<readonly RecordedEnvelope[]> {
    this.#refuseClosed();
    if (!isStorable(stream)) return [];
    const { quoted } = this.schema;
    const rows = await this.connections.ask<EventRow>({
      name: 'stream',
      text: `SELECT e.position, s.name, e.revision, e.type, e.id, e.body
        FROM ${quoted}.streams s JOIN ${quoted}.events e ON e.stream = s.number
        WHERE s.name = $1 AND e.revision >= $2 ORDER BY e.revision LIMIT $3`,
      values: [stream, from, limit === Infinity ? NO_LIMIT : limit],
    });
    return rows.map((row) => new StoredEvent(row).envelope);
  }

  async readLast(stream: string): Promise<RecordedEnvelope | undefined> {
    this.#refuseClosed();
    return isStorable(stream) ? await this.#newest.of(stream) : undefined;
  }

  /** Ends at what was the head when the reading began. */
  async *readAll(after: Position, filter?: EventFilter): AsyncGenerator<RecordedEnvelope> {
    let cursor = toRowid(after);
    const head = toRowid(await this.head());
    while (cursor < head) {
      this.#refuseClosed();
      const page = await this.#pages.page(cursor, head, filter);
      for (const { envelope } of page.events) yield envelope;
      cursor = page.end;
    }
  }

  /**
   * Outlives every fault of the engine. Ends with {@link EventStoreUnavailable} when the log ends
   * before `after` (a backup was put back, or a replica took over that lacked the last commits) or
   * holds a damaged event, which no waiting would mend.
   */
  subscribeAll(
    after: Position,
    options: { readonly filter?: EventFilter; readonly signal?: AbortSignal } = {},
  ): AsyncIterable<SubscriptionMessage> {
    const begin = toRowid(after);
    const source: SubscriptionSource = {
      readPage: (from, head) => this.#pages.page(from, head, options.filter),
      // Readers that wake together ask together.
      readHead: () => this.#heads.get('', () => this.#head()),
      watch: this.#watch,
      onFault: this.#onFault,
    };
    return {
      [Symbol.asyncIterator]: () => this.#subscriptions.open(source, begin, options.signal),
    };
  }

  async head(): Promise<Position> {
    this.#refuseClosed();
    return toPosition(await this.#head());
  }

  async holds(position: Position): Promise<boolean> {
    return isRowid(position) && position <= (await this.head());
  }

  /**
   * As the port says, except for the bytes, which PostgreSQL does not overwrite: the rows are gone for
   * every reader, copy and dump from now on, and VACUUM has given their place to other rows. Until
   * those come, old bytes may lie unused in the pages of the table; they are also in the write-ahead
   * log until its segments are used again, in its archive, in base backups and on replicas. A
   * transaction that was open in this database meanwhile keeps them longer: autovacuum does the rest.
   * @throws {EventStoreUnavailable} also when the streams are gone but VACUUM did not get its turn.
   */
  async deleteStreams(heads: ReadonlyMap<string, Position>): Promise<ReadonlySet<string>> {
    this.#refuseClosed();
    return await this.#deletion.delete(heads);
  }

  /**
   * The settings in force under which an acknowledged append might be lost in a crash, in words; none
   * on a server that is configured as it comes. (`full_page_writes` off is safe on some file systems,
   * so it is said and not refused.)
   */
  async unsafeSettings(): Promise<readonly string[]> {
    this.#refuseClosed();
    return unsafeAmong(await this.connections.inSession(durabilitySettings));
  }

  /** Ends the subscriptions, answers the appends under way, then closes the connections. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#subscriptions.endAll();
    await this.#appends.close();
    await this.#notifier.close();
    await this.#watch.close();
    await this.connections.close();
  }

  async #head(): Promise<number> {
    const [row] = await this.connections.ask<readonly [number]>({
      name: 'head',
      text: `SELECT ${this.schema.quoted}.newest()`,
    });
    if (row === undefined) throw new EventStoreUnavailable('the log has no head');
    return row[0];
  }

  #refuseClosed(): void {
    if (this.#closing !== undefined) throw new EventStoreUnavailable('the event store is closed');
  }
}
