import type Database from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import { ERASED, type Erased } from '../../kernel/event.js';
import type { DataKey, KeyStore } from '../key-store.js';
import { EventStoreUnavailable } from '../port.js';
import { Rounds } from '../rounds.js';
import { checkpoint } from './wal-checkpoint.js';
import {
  durabilitySettings,
  openDatabase,
  type DurabilitySettings,
  type FileKind,
} from './database.js';
import { GroupCommit } from './group-commit.js';
import { OncePerMacrotask } from './once-per-macrotask.js';
import { PATIENCE_MS, untilFree } from './patience.js';

const KEY_STORE_FILE: FileKind = {
  name: 'key store',
  applicationId: 0x43_53_6b_79, // CSky
  schemaVersion: 1,
  // Rows are only ever added at the end, and a destroyed key is overwritten where it lies by as
  // many zeros. (Rows that SQLite moves, for one that grows or comes between, leave copies behind
  // in unused parts of pages, also under `secure_delete`.) The row stays: a scope never gets
  // another key.
  schema: `
    CREATE TABLE keys (
      number INTEGER PRIMARY KEY,
      scope TEXT NOT NULL UNIQUE,
      key BLOB NOT NULL CHECK (length(key) = 32)
    ) STRICT;
  `,
};

const KEY_BYTES = 32;
/** In place of a key: it was destroyed. */
const DESTROYED = Buffer.alloc(KEY_BYTES);
const REQUESTS_PER_COMMIT = 64;
const CACHED_KEYS = 10_000;
/** Between two tries to empty a log that somebody's reading kept from being emptied. */
const ROUND_MS = 5_000;

export interface SqliteKeyStoreOptions {
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
  /** Milliseconds that a call waits for another process's lock (default 5000). */
  readonly patienceMs?: number;
}

type Request = { readonly kind: 'obtain' | 'destroy'; readonly scope: string };

/**
 * Opens a key store in an SQLite file of its own, made when it is not there, readable for its owner
 * alone. Several processes on one machine may use one file.
 * @throws {EventStoreUnavailable} when the file cannot be opened or was written by another program
 * or another schema version.
 */
export async function openSqliteKeyStore(
  path: string,
  options: SqliteKeyStoreOptions,
): Promise<SqliteKeyStore> {
  const database = await openDatabase(path, KEY_STORE_FILE);
  database.pragma('secure_delete = ON');
  return new SqliteKeyStore(database, options);
}

/** The embedded key store: see the port. Made by {@link openSqliteKeyStore}. */
export class SqliteKeyStore implements KeyStore {
  readonly #patienceMs: number;
  readonly #requests: GroupCommit<Request, DataKey | Erased>;
  readonly #cache = new LRUCache<string, DataKey>({ max: CACHED_KEYS });
  readonly #select: Database.Statement<[string], DataKey>;
  readonly #selectAll: Database.Statement<[string], readonly [scope: string, key: DataKey]>;
  readonly #dataVersion: Database.Statement<[], number>;
  #cacheVersion: number | undefined;
  readonly #checkCache = new OncePerMacrotask(() => {
    // Another process may have destroyed a key that is remembered here.
    const version = this.#dataVersion.get();
    if (version !== this.#cacheVersion) this.#cache.clear();
    this.#cacheVersion = version;
  });
  #emptying: Promise<void> | undefined;
  /** Old pages may be in the log: since the last destruction, or since a process was killed in one. */
  #isToEmpty = true;
  readonly #rounds: Rounds;
  #closing: Promise<void> | undefined;

  constructor(
    private readonly database: Database.Database,
    options: SqliteKeyStoreOptions,
  ) {
    this.#patienceMs = options.patienceMs ?? PATIENCE_MS;
    this.#select = database
      .prepare<[string], DataKey>('SELECT key FROM keys WHERE scope = ?')
      .pluck();
    this.#selectAll = database
      .prepare<[string], readonly [scope: string, key: DataKey]>(
        'SELECT scope, key FROM keys WHERE scope IN (SELECT value FROM json_each(?))',
      )
      .raw();
    // Changes exactly when another connection has changed the file.
    this.#dataVersion = database.prepare<[], number>('PRAGMA data_version').pluck();
    this.#requests = new GroupCommit(database, {
      apply: this.#applyTo(database, options.randomBytes),
      maxGroup: REQUESTS_PER_COMMIT,
      patienceMs: this.#patienceMs,
    });
    // Whoever destroyed a key and could not wait, or was killed, need not come back for it.
    this.#rounds = new Rounds(ROUND_MS, async () => {
      if (this.#isToEmpty) await this.#empty(0);
    });
  }

  async obtain(scope: string): Promise<DataKey | Erased> {
    return await ((await this.find(scope)) ?? this.#requests.submit({ kind: 'obtain', scope }));
  }

  async find(scope: string): Promise<DataKey | Erased | undefined> {
    return await untilFree(this.#patienceMs, () => {
      this.#refuseClosed();
      return this.#find(scope);
    });
  }

  /** Past the cache, where the keys of a whole log would drive out those of the day. */
  async findAll(scopes: readonly string[]): Promise<ReadonlyMap<string, DataKey | Erased>> {
    const rows = await untilFree(this.#patienceMs, () => {
      this.#refuseClosed();
      return this.#selectAll.all(JSON.stringify(scopes));
    });
    return new Map(rows.map(([scope, key]) => [scope, erasedOr(key)]));
  }

  async destroy(scope: string): Promise<void> {
    this.#refuseClosed();
    await this.#requests.submit({ kind: 'destroy', scope });
    this.#isToEmpty = true;
    // Until the log is emptied it holds old pages, and on them keys that were destroyed since. All
    // whose commits have returned by then share it.
    this.#emptying ??= this.#empty(this.#patienceMs).finally(() => {
      this.#emptying = undefined;
    });
    await this.#emptying;
  }

  /** The settings in force on this connection: what durable means. */
  durability(): DurabilitySettings {
    return durabilitySettings(this.database);
  }

  /** Answers the calls under way, then closes the file. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#rounds.close();
    await this.#requests.close();
    await this.#emptying?.catch(() => undefined);
    this.#cache.clear();
    this.database.close();
  }

  async #empty(patienceMs: number): Promise<void> {
    await checkpoint(this.database, patienceMs, ({ busy }) => {
      // With the checkpoint in one turn, in which no further commit comes.
      if (busy === 0) this.#isToEmpty = false;
      return busy === 0;
    });
  }

  #find(scope: string): DataKey | Erased | undefined {
    this.#checkCache.ensure();
    const cached = this.#cache.get(scope);
    if (cached !== undefined) return cached;
    const stored = this.#stored(scope);
    if (stored !== undefined && stored !== ERASED) this.#cache.set(scope, stored);
    return stored;
  }

  #stored(scope: string): DataKey | Erased | undefined {
    const key = this.#select.get(scope);
    return key === undefined ? undefined : erasedOr(key);
  }

  #applyTo(
    database: Database.Database,
    randomBytes: (size: number) => Uint8Array,
  ): (request: Request) => DataKey | Erased {
    const insert = database.prepare<[string, Uint8Array]>(
      'INSERT INTO keys (scope, key) VALUES (?, ?)',
    );
    const overwrite = database.prepare<[Uint8Array, string]>(
      'UPDATE keys SET key = ? WHERE scope = ?',
    );
    return ({ kind, scope }) => {
      const stored = this.#stored(scope);
      if (kind === 'obtain') {
        if (stored !== undefined) return stored;
        const key = randomBytes(KEY_BYTES);
        if (DESTROYED.equals(key)) throw new TypeError('the random bytes are not random');
        insert.run(scope, key);
        return key;
      }
      this.#cache.delete(scope);
      if (stored === undefined) insert.run(scope, DESTROYED);
      else overwrite.run(DESTROYED, scope);
      return ERASED;
    };
  }

  #refuseClosed(): void {
    if (this.#closing !== undefined) throw new EventStoreUnavailable('the key store is closed');
  }
}

function erasedOr(key: DataKey): DataKey | Erased {
  return DESTROYED.equals(key) ? ERASED : key;
}
