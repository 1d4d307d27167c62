import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { EventStoreUnavailable } from '../port.js';
import { PATIENCE_MS, untilFree } from './patience.js';

/** What a file of ours says of itself. */
export interface FileKind {
  /** In words, for whoever reads a refusal. */
  readonly name: string;
  /** `PRAGMA application_id`: four ASCII letters. */
  readonly applicationId: number;
  /** `PRAGMA user_version` that this build reads and writes. */
  readonly schemaVersion: number;
  readonly schema: string;
}

/** How a connection keeps its promise that acknowledged means flushed. */
export interface DurabilitySettings {
  readonly journalMode: unknown;
  /** 2 is FULL: the log is flushed before a commit returns. */
  readonly synchronous: unknown;
}

/**
 * Opens a database file for durable writing; makes it, and the folders above it, when it is not
 * there. Only the owner may read the file.
 * @throws {EventStoreUnavailable} with a readable reason: not a database, another program's
 * database, a schema version that this build does not know, or a file that cannot be opened.
 */
export async function openDatabase(path: string, kind: FileKind): Promise<Database.Database> {
  let database: Database.Database | undefined;
  try {
    createFile(path);
    // No waiting inside the driver, where nothing else could run meanwhile.
    const opened = (database = new Database(path, { timeout: 0 }));
    await untilFree(PATIENCE_MS, () => {
      prepare(opened, kind);
    });
    return opened;
  } catch (cause) {
    database?.close();
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new EventStoreUnavailable(`${path} cannot be used: ${reason}`, { cause });
  }
}

export function durabilitySettings(database: Database.Database): DurabilitySettings {
  return {
    journalMode: database.pragma('journal_mode', { simple: true }),
    synchronous: database.pragma('synchronous', { simple: true }),
  };
}

/** SQLite gives its journal files the mode of the database file. */
function createFile(path: string): void {
  const folder = dirname(resolve(path));
  const firstMade = mkdirSync(folder, { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  if (firstMade === undefined) return;
  // A new folder's name is durable only once the folder above it was flushed.
  for (let made = folder; ; made = dirname(made)) {
    flushFolder(dirname(made));
    if (made === firstMade) return;
  }
}

function flushFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function prepare(database: Database.Database, kind: FileKind): void {
  // First of all, so that a file of somebody else is left as it was.
  refuseForeign(database, kind);
  const journalMode = database.pragma('journal_mode = WAL', { simple: true });
  if (journalMode !== 'wal') {
    throw new EventStoreUnavailable('its file system does not support write-ahead logging');
  }
  database.pragma('synchronous = FULL');
  database.pragma('cache_size = -32000');
  database
    .transaction(() => {
      refuseForeign(database, kind);
      if (schemaVersion(database) === kind.schemaVersion) return;
      database.exec(kind.schema);
      database.pragma(`application_id = ${String(kind.applicationId)}`);
      database.pragma(`user_version = ${String(kind.schemaVersion)}`);
    })
    .immediate();
  // What a killed process wrote but did not flush is visible now. It is flushed here, before
  // anybody is told that it is stored.
  database.pragma('wal_checkpoint(TRUNCATE)');
}

function refuseForeign(database: Database.Database, kind: FileKind): void {
  const applicationId = database.pragma('application_id', { simple: true });
  const version = schemaVersion(database);
  if (applicationId === kind.applicationId) {
    if (version === kind.schemaVersion) return;
    throw new EventStoreUnavailable(
      `it has schema version ${String(version)} of the ${kind.name}, ` +
        `and this build knows only version ${String(kind.schemaVersion)}`,
    );
  }
  const isEmpty = database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
  if (applicationId === 0 && version === 0 && isEmpty) return;
  throw new EventStoreUnavailable(`it is a database, but no ${kind.name}`);
}

function schemaVersion(database: Database.Database): unknown {
  return database.pragma('user_version', { simple: true });
}
