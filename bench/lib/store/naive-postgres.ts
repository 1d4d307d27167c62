import pg from 'pg';
import { toRow } from '../../../src/event-store/event-row.js';
import type { Append } from './appends.js';

const LOCK = 4_711;

/**
 * The log that one writes first: a connection per writer, a transaction per append, in it the check of
 * the revision and the rows.
 */
export class NaivePostgres {
  static async open(url: string, writers: number): Promise<NaivePostgres> {
    const clients = Array.from({ length: writers }, () => new pg.Client({ connectionString: url }));
    for (const client of clients) await client.connect();
    // A server of `POSTGRES_URL` has seen other runs.
    const table = `naive_events_${String(Date.now())}`;
    await clients[0]?.query(`
      CREATE TABLE ${table} (
        position bigserial PRIMARY KEY, stream text NOT NULL, revision integer NOT NULL,
        type text NOT NULL, id text NOT NULL UNIQUE, body text NOT NULL, UNIQUE (stream, revision)
      )`);
    return new NaivePostgres(clients, table);
  }

  private constructor(
    private readonly clients: readonly pg.Client[],
    private readonly table: string,
  ) {}

  /** Positions are in the order of the commits, which takes a lock: nobody who follows loses an event. */
  readonly ordered: Append = (writer, ...append) => this.#append(writer, true, ...append);

  /** With the sequence alone: faster, and it loses events. */
  readonly unordered: Append = (writer, ...append) => this.#append(writer, false, ...append);

  async close(): Promise<void> {
    await this.clients[0]?.query(`DROP TABLE ${this.table}`);
    for (const client of this.clients) await client.end();
  }

  async #append(
    writer: number,
    isOrdered: boolean,
    ...[stream, after, events]: Parameters<Append> extends [number, ...infer Rest] ? Rest : never
  ): Promise<void> {
    const client = this.clients[writer];
    if (client === undefined) throw new Error('a writer has a connection');
    await client.query('BEGIN');
    if (isOrdered)
      await client.query({ name: 'lock', text: `SELECT pg_advisory_xact_lock(${String(LOCK)})` });
    const { rows } = await client.query<{ newest: number | null }>({
      name: 'newest',
      text: `SELECT max(revision) AS newest FROM ${this.table} WHERE stream = $1`,
      values: [stream],
    });
    if ((rows[0]?.newest ?? -1) !== after) throw new Error('a race that nobody runs');
    for (const [index, event] of events.entries()) {
      const { type, id, body } = toRow(event);
      await client.query({
        name: 'insert',
        text: `INSERT INTO ${this.table} (stream, revision, type, id, body) VALUES ($1, $2, $3, $4, $5)`,
        values: [stream, after + 1 + index, type, id, body],
      });
    }
    await client.query('COMMIT');
  }
}
