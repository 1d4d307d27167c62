import { ERASED, type Erased } from '../../kernel/event.js';
import type { DataKey, KeyStore } from '../key-store.js';
import { EventStoreUnavailable } from '../port.js';
import { Batches } from './batches.js';
import { BucketRewrites } from './bucket-rewrites.js';
import { Connections, PATIENCE_MS } from './connections.js';
import { KEY_STORE_SCHEMA } from './key-store-schema.js';
import { ensureSchema, schemaOf, type Schema } from './schema.js';
import { durabilitySettings, unsafeAmong } from './session.js';
import { isStorable, refuseUnstorable } from './storable-text.js';

const KEY_BYTES = 32;
const REQUESTS_PER_BATCH = 256;

export interface PostgresKeyStoreOptions {
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
  /** Of its table, which lies in the schema `countersign_<namespace>` (default `keys`). */
  readonly namespace?: string;
  /** Milliseconds that a call waits for a connection or for another session's lock (default 5000). */
  readonly patienceMs?: number;
}

interface Request {
  readonly kind: 'obtain' | 'find' | 'destroy';
  readonly scope: string;
}

/** Undefined for a scope without a key; of a destruction, the bucket, where old bytes are left in it. */
type Answer = DataKey | Erased | undefined | { readonly bucket: string };

/**
 * Opens a key store in a PostgreSQL database (14 or later, UTF8), whose table is made when it is not
 * there; it may be the database of the log. Several nodes may use one.
 * @throws {EventStoreUnavailable} as `openPostgresEventStore` does.
 */
export async function openPostgresKeyStore(
  url: string,
  options: PostgresKeyStoreOptions,
): Promise<PostgresKeyStore> {
  const schema = schemaOf(options.namespace ?? 'keys');
  const connections = new Connections(url, options.patienceMs ?? PATIENCE_MS);
  try {
    await ensureSchema(connections, schema, KEY_STORE_SCHEMA);
    return new PostgresKeyStore(connections, schema, options);
  } catch (error) {
    await connections.close();
    throw error;
  }
}

/**
 * Data keys in a PostgreSQL database: see the port. Nothing is remembered here, since another node may
 * destroy a key at any time; calls of one moment share a question.
 *
 * A destroyed key is in no file of the database's tables any more once `destroy` has returned, and soon
 * when it could not ({@link BucketRewrites}). It is still in the write-ahead log
 * until its segments are used again, in an archive of that log, in base backups and on replicas that
 * are behind: keep those no longer than an erasure may take. Made by {@link openPostgresKeyStore}.
 */
export class PostgresKeyStore implements KeyStore {
  readonly #table: string;
  readonly #due: string;
  readonly #requests: Batches<Request, Answer>;
  readonly #rewrites: BucketRewrites;
  #closing: Promise<void> | undefined;

  constructor(
    private readonly connections: Connections,
    schema: Schema,
    private readonly options: PostgresKeyStoreOptions,
  ) {
    this.#table = `${schema.quoted}.keys`;
    this.#due = `${schema.quoted}.rewrites_due`;
    this.#requests = new Batches({
      // Of one kind, up to the first of another: what is asked after a destruction comes after it.
      joins: () => {
        let first: Request['kind'] | undefined;
        let size = 0;
        let isFull = false;
        return ({ kind }) => {
          first ??= kind;
          isFull ||= kind !== first || size++ >= REQUESTS_PER_BATCH;
          return !isFull;
        };
      },
      run: (batch) => this.#carryOut(batch),
    });
    const { patienceMs = PATIENCE_MS } = options;
    this.#rewrites = new BucketRewrites(connections, schema, patienceMs);
  }

  async obtain(scope: string): Promise<DataKey | Erased> {
    this.#refuseClosed();
    refuseUnstorable(scope);
    return (await this.#requests.submit({ kind: 'obtain', scope })) as DataKey | Erased;
  }

  async find(scope: string): Promise<DataKey | Erased | undefined> {
    this.#refuseClosed();
    if (!isStorable(scope)) return undefined;
    return (await this.#requests.submit({ kind: 'find', scope })) as DataKey | Erased | undefined;
  }

  async findAll(scopes: readonly string[]): Promise<ReadonlyMap<string, DataKey | Erased>> {
    this.#refuseClosed();
    return await this.#stored(scopes.filter(isStorable));
  }

  /** @throws {EventStoreUnavailable} also when its bytes cannot be removed yet: later they are. */
  async destroy(scope: string): Promise<void> {
    this.#refuseClosed();
    refuseUnstorable(scope);
    const left = (await this.#requests.submit({ kind: 'destroy', scope })) as
      { readonly bucket: string } | undefined;
    if (left !== undefined) await this.#rewrites.rewrite(left.bucket);
  }

  /** The settings in force under which a key that was handed out might be lost in a crash. */
  async unsafeSettings(): Promise<readonly string[]> {
    this.#refuseClosed();
    return unsafeAmong(await this.connections.inSession(durabilitySettings));
  }

  /** Answers the calls under way, then closes the connections. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#requests.close();
    await this.#rewrites.close();
    await this.connections.close();
  }

  async #carryOut(batch: readonly Request[]): Promise<readonly Answer[]> {
    const scopes = [...new Set(batch.map(({ scope }) => scope))];
    const answers = await this.#answers(batch[0]?.kind, scopes);
    return batch.map(({ scope }) => answers.get(scope));
  }

  #answers(
    kind: Request['kind'] | undefined,
    scopes: readonly string[],
  ): Promise<ReadonlyMap<string, Answer>> {
    if (kind === 'obtain') return this.#obtain(scopes);
    return kind === 'destroy' ? this.#destroy(scopes) : this.#stored(scopes);
  }

  async #stored(scopes: readonly string[]): Promise<ReadonlyMap<string, DataKey | Erased>> {
    if (scopes.length === 0) return new Map();
    // Planned anew for these scopes, and not by a name: so the buckets are locked before the rows
    // that can be seen are settled, and one that is written anew meanwhile is not seen as empty.
    const rows = await this.connections.ask<readonly [scope: string, key: Buffer | null]>({
      text: `SELECT scope, key FROM ${this.#table} WHERE scope = ANY ($1)`,
      values: [scopes],
    });
    return new Map(rows.map(([scope, key]) => [scope, key ?? ERASED]));
  }

  async #obtain(scopes: readonly string[]): Promise<ReadonlyMap<string, DataKey | Erased>> {
    const stored = await this.#stored(scopes);
    const missing = scopes.filter((scope) => !stored.has(scope));
    if (missing.length === 0) return stored;
    // In one order everywhere, so that no two nodes wait for each other.
    const values = [missing, missing.map(() => this.#newKey())];
    await this.connections.ask({
      text: `INSERT INTO ${this.#table} (scope, key)
        SELECT * FROM unnest($1::text[], $2::bytea[]) AS made (scope, key) ORDER BY scope COLLATE "C"
        ON CONFLICT DO NOTHING`,
      values,
    });
    return new Map([...stored, ...(await this.#stored(missing))]);
  }

  async #destroy(scopes: readonly string[]): Promise<ReadonlyMap<string, Answer>> {
    // One statement: no key is ever gone without a note of what it left behind.
    await this.connections.ask({
      text: `WITH destroyed AS (
          INSERT INTO ${this.#table} AS kept (scope)
          SELECT * FROM unnest($1::text[]) AS doomed (scope) ORDER BY scope COLLATE "C"
          ON CONFLICT (scope) DO UPDATE SET key = NULL WHERE kept.key IS NOT NULL
          RETURNING tableoid
        )
        INSERT INTO ${this.#due} (bucket)
        SELECT DISTINCT tableoid FROM destroyed ORDER BY tableoid ON CONFLICT DO NOTHING`,
      values: [scopes],
    });
    // Those too whose keys somebody destroyed before, and got no further.
    const rows = await this.connections.ask<readonly [scope: string, bucket: string]>({
      text: `SELECT scope, bucket::text FROM ${this.#table} AS kept
        JOIN ${this.#due} ON bucket = kept.tableoid WHERE scope = ANY ($1)`,
      values: [scopes],
    });
    return new Map(rows.map(([scope, bucket]) => [scope, { bucket }]));
  }

  #newKey(): Buffer {
    const key = Buffer.from(this.options.randomBytes(KEY_BYTES));
    if (key.length !== KEY_BYTES) throw new TypeError('a key has 32 bytes');
    return key;
  }

  #refuseClosed(): void {
    if (this.#closing !== undefined) throw new EventStoreUnavailable('the key store is closed');
  }
}
