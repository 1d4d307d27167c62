import pg from 'pg';
import { EventStoreUnavailable } from '../port.js';
import { asFault } from './faults.js';
import type { Ask, Question } from './question.js';
import { configureSession } from './session.js';

/** How long a call waits for a connection or for another session's lock, in milliseconds. */
export const PATIENCE_MS = 5_000;
/** Of one store. A node has up to three stores, and a server 100 connections by default. */
const MOST_CONNECTIONS = 5;
/** A tidying up of the tables may take longer than a question. */
const TIDYING_MS = 600_000;

/** Positions and revisions are far below 2^53. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.INT8
      ? Number
      : (pg.types.getTypeParser(oid, format) as (text: string) => unknown),
};

/** A bounded pool of connections to one database, each set up to write durably. */
export class Connections {
  readonly #pool: pg.Pool;
  readonly #config: pg.ClientConfig;
  #closing: Promise<void> | undefined;

  /** @throws {EventStoreUnavailable} when `url` is no URL of a PostgreSQL database; it is not said. */
  constructor(
    url: string,
    private readonly patienceMs: number,
  ) {
    refuseOtherUrls(url);
    this.#config = {
      connectionString: url,
      fallback_application_name: 'countersign',
      connectionTimeoutMillis: patienceMs,
      // The server gives up first, and says why: this is for a server that says nothing any more.
      query_timeout: statementTimeout(patienceMs) + patienceMs,
      keepAlive: true,
      types: TYPES,
    };
    const onConnect = (client: pg.ClientBase): unknown => this.#configure(client);
    this.#pool = new pg.Pool({ ...this.#config, max: MOST_CONNECTIONS, onConnect });
    // An idle connection that breaks has left the pool already; the next call opens another.
    this.#pool.on('error', () => undefined);
  }

  /** Rows as arrays of their columns. */
  async ask<Row extends readonly unknown[]>(question: Question): Promise<readonly Row[]> {
    try {
      return await askOn<Row>(this.#pool, question);
    } catch (error) {
      throw asFault(error);
    }
  }

  /** Statements of one session; a connection on which one of them failed is given up. */
  async inSession<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
    let client: pg.PoolClient | undefined;
    try {
      client = await this.#pool.connect();
      const session = client;
      const result = await work((question) => askOn(session, question));
      client.release();
      return result;
    } catch (error) {
      client?.release(true);
      throw asFault(error);
    }
  }

  /** A statement that may take long, such as VACUUM. */
  async tidy(text: string): Promise<void> {
    await this.inSession(async (ask) => {
      await ask({ text: `SET statement_timeout = ${String(TIDYING_MS)}` });
      await ask({ text, query_timeout: TIDYING_MS + this.patienceMs });
      await ask({ text: `SET statement_timeout = ${String(statementTimeout(this.patienceMs))}` });
    });
  }

  /** A connection outside of the pool, for whoever listens on it and ends it. */
  async dedicated(onEnd: () => void): Promise<pg.Client> {
    // A server that does not answer is found as soon as a question of this one has no answer.
    const client = new pg.Client({ ...this.#config, query_timeout: this.patienceMs });
    client.on('error', onEnd);
    client.on('end', onEnd);
    try {
      await client.connect();
      await this.#configure(client);
      return client;
    } catch (error) {
      void client.end().catch(() => undefined);
      throw asFault(error);
    }
  }

  /** Ends once all calls under way have. */
  close(): Promise<void> {
    this.#closing ??= this.#pool.end();
    return this.#closing;
  }

  #configure(client: pg.ClientBase): Promise<void> {
    return configureSession((question) => askOn(client, question), {
      lockMs: this.patienceMs,
      statementMs: statementTimeout(this.patienceMs),
    });
  }
}

async function askOn<Row extends readonly unknown[]>(
  on: pg.Pool | pg.ClientBase,
  { values = [], ...question }: Question,
): Promise<readonly Row[]> {
  const query = { ...question, types: TYPES, rowMode: 'array' as const };
  const { rows } = await on.query<unknown[]>(
    values.length === 0 ? query : { ...query, values: [...values] },
  );
  return rows as unknown as readonly Row[];
}

/** Longer than a wait for a lock, so that it is known what the wait was for. */
function statementTimeout(patienceMs: number): number {
  return 3 * patienceMs;
}

function refuseOtherUrls(url: string): void {
  const protocol = URL.canParse(url) ? new URL(url).protocol : undefined;
  if (protocol === 'postgres:' || protocol === 'postgresql:') return;
  throw new EventStoreUnavailable('that is no postgres:// URL');
}
