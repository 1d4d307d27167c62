import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { EventStoreUnavailable } from '../port.js';
import { checkpoint } from './wal-checkpoint.js';
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
      prepare(opened, path, kind);
    });
    // What a killed process wrote but did not flush is visible now. It is flushed here, before
    // anybody is told that it is stored.
    await checkpoint(opened, PATIENCE_MS, ({ log }) => log !== -1);
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

/**
 * Makes the file, for its owner alone, unless it exists. One that exists is never opened here:
 * whoever closes a descriptor of a file gives up all locks of the process on it (POSIX), those of
 * an SQLite connection included.
 */
function createFile(path: string): void {
  const folder = dirname(resolve(path));
  const firstMade = mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!existsSync(path)) throw error;
  }
  if (firstMade === undefined) return;
  // A new folder's name is durable only once the folder above it was flushed.
  for (let made = folder; ; made = dirname(made)) {
    flushFolder(dirname(made));
    if (made === firstMade) return;
  }
}

/** Files that SQLite makes later get the mode of the database file. */
function closeToOthers(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    if (existsSync(file)) chmodSync(file, 0o600);
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

function prepare(database: Database.Database, path: string, kind: FileKind): void {
  // First of all, so that a file of somebody else is left as it was.
  refuseForeign(database, kind);
  closeToOthers(path);
  configure(database);
  database
    .transaction(() => {
      refuseForeign(database, kind);
      if (schemaVersion(database) === kind.schemaVersion) return;
      database.exec(kind.schema);
      database.pragma(`application_id = ${String(kind.applicationId)}`);
      database.pragma(`user_version = ${String(kind.schemaVersion)}`);
    })
    .immediate();
}

/** The settings of a connection that writes durably. */
export function configure(database: Database.Database): void {
  const journalMode = database.pragma('journal_mode = WAL', { simple: true });
  if (journalMode !== 'wal') {
    throw new EventStoreUnavailable('its file system does not support write-ahead logging');
  }
  database.pragma('synchronous = FULL');
  // At the end of every commit that has split a page, SQLite looks through all of the cache (2 MB): a
  // large one costs more at each commit than it saves, since what it lacks the file system has.
  database.pragma('cache_size = -2000');
  // A commit that fills the log pays for writing it back: a shorter log, a shorter pause.
  database.pragma('wal_autocheckpoint = 500');
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
