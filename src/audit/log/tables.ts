import { START, type Position } from '../../event-store/port.js';
import { decodeBase64Url } from '../../kernel/base64url.js';
import { MerkleFrontier } from '../../kernel/merkle.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { ProjectionDatabase, ReadStatement } from '../../projections/port.js';

/** The tables of the tree's own read database: all of them can be made anew from the log. */

type Queries = { prepare<Row>(sql: string): ReadStatement<Row> };

const LAYOUT = 4;

/** The event that a leaf comes from. */
export interface LeafPlace {
  readonly stream: string;
  readonly revision: number;
}

/** How far the tree is; changes in the transactions that change the tree. */
export interface TreeState {
  /** Leaves. */
  readonly size: number;
  /** b64u roots of the perfect subtrees, as `MerkleFrontier` has them: what the tiles are checked by. */
  readonly frontier: readonly string[];
  /** Of the last event that was taken. */
  readonly position: Position;
  /** Which gave the position; null before the first event. */
  readonly engine: string | null;
  /** Where the newest leaf comes from; null in an empty tree. */
  readonly lastLeaf: LeafPlace | null;
  /** Revision of the stream `log`, -1 before its first event, and the moment of that event. */
  readonly logRevision: number;
  readonly logRecordedAt: Timestamp | null;
}

/** Before the first event. */
export const NOTHING: TreeState = {
  size: 0,
  frontier: [],
  position: START,
  engine: null,
  lastLeaf: null,
  logRevision: -1,
  logRecordedAt: null,
};

/** Makes the tables where they are missing, and anew where another layout left its own. */
export function createTables(db: ProjectionDatabase): void {
  db.exec('CREATE TABLE IF NOT EXISTS log_state (layout INTEGER PRIMARY KEY, state TEXT NOT NULL)');
  const layout = db.prepare<{ layout: number }>('SELECT layout FROM log_state').get()?.layout;
  if (layout === LAYOUT) return;
  db.exec(`
    DELETE FROM log_state;
    DROP TABLE IF EXISTS log_tiles;
    CREATE TABLE log_tiles (
      level INTEGER NOT NULL, number INTEGER NOT NULL, hashes BLOB NOT NULL,
      PRIMARY KEY (level, number)
    );
    DROP TABLE IF EXISTS log_leaves;
    CREATE TABLE log_leaves (
      prefix INTEGER NOT NULL, leaf INTEGER NOT NULL, PRIMARY KEY (prefix, leaf)
    ) WITHOUT ROWID;
    DROP TABLE IF EXISTS log_places;
    CREATE TABLE log_places (
      size INTEGER PRIMARY KEY, stream TEXT NOT NULL, revision INTEGER NOT NULL
    );
    DROP TABLE IF EXISTS log_checkpoints;
    CREATE TABLE log_checkpoints (
      revision INTEGER PRIMARY KEY, recorded_at TEXT NOT NULL, size INTEGER NOT NULL,
      root BLOB NOT NULL, key_id TEXT NOT NULL, note TEXT NOT NULL, holds INTEGER NOT NULL
    );
    CREATE INDEX log_checkpoints_by_size ON log_checkpoints (size, revision);
    DROP TABLE IF EXISTS log_cosignatures;
    CREATE TABLE log_cosignatures (
      checkpoint INTEGER NOT NULL, witness TEXT NOT NULL, cosigned_at INTEGER NOT NULL,
      line TEXT NOT NULL, PRIMARY KEY (checkpoint, witness)
    ) WITHOUT ROWID;
    CREATE INDEX log_cosignatures_by_witness ON log_cosignatures (witness, checkpoint);
  `);
  putState(db, NOTHING);
}

export function hasTables(db: Queries): boolean {
  const sql = "SELECT 1 AS there FROM sqlite_master WHERE type = 'table' AND name = 'log_state'";
  return db.prepare<{ there: number }>(sql).get() !== undefined;
}

export function getState(db: Queries): TreeState {
  const row = db.prepare<{ state: string }>('SELECT state FROM log_state').get();
  return row === undefined ? NOTHING : (JSON.parse(row.state) as TreeState);
}

export function putState(db: ProjectionDatabase, state: TreeState): void {
  db.prepare('INSERT OR REPLACE INTO log_state (layout, state) VALUES (?, ?)').run(
    LAYOUT,
    JSON.stringify(state),
  );
}

/** @throws {RangeError} when it was damaged */
export function frontierOf({ size, frontier }: TreeState): MerkleFrontier {
  return new MerkleFrontier(
    size,
    frontier.map((root) => decodeBase64Url(root) ?? new Uint8Array()),
  );
}

/** @throws {RangeError} for a tile that the tree does not have */
export function getTile(db: Queries, level: number, number: number): Uint8Array {
  const row = db
    .prepare<{
      hashes: Uint8Array;
    }>('SELECT hashes FROM log_tiles WHERE level = ? AND number = ?')
    .get(level, number);
  if (row === undefined) throw new RangeError(`no tile ${String(level)}/${String(number)}`);
  return row.hashes;
}

export function putTile(
  db: ProjectionDatabase,
  level: number,
  number: number,
  hashes: Uint8Array,
): void {
  db.prepare('INSERT OR REPLACE INTO log_tiles (level, number, hashes) VALUES (?, ?, ?)').run(
    level,
    number,
    hashes,
  );
}

export function putLeaf(db: ProjectionDatabase, leafHash: Uint8Array, index: number): void {
  db.prepare('INSERT OR REPLACE INTO log_leaves (prefix, leaf) VALUES (?, ?)').run(
    prefixOf(leafHash),
    index,
  );
}

/** Where leaves stand whose hashes begin as this one does: seldom more than one. */
export function leavesLike(db: Queries, leafHash: Uint8Array): readonly number[] {
  return db
    .prepare<{ leaf: number }>('SELECT leaf FROM log_leaves WHERE prefix = ? ORDER BY leaf')
    .all(prefixOf(leafHash))
    .map(({ leaf }) => leaf);
}

/** Where the newest leaf of a tree of this size comes from. */
export function putPlace(
  db: ProjectionDatabase,
  size: number,
  { stream, revision }: LeafPlace,
): void {
  db.prepare('INSERT OR REPLACE INTO log_places (size, stream, revision) VALUES (?, ?, ?)').run(
    size,
    stream,
    revision,
  );
}

/** The place that is known of the largest tree up to this size. */
export function placeWithin(
  db: Queries,
  size: number,
): (LeafPlace & { readonly size: number }) | undefined {
  return db
    .prepare<LeafPlace & { size: number }>(
      'SELECT * FROM log_places WHERE size <= ? ORDER BY size DESC LIMIT 1',
    )
    .get(size);
}

/** Those before the one within this size are of no use once a tree of it is signed. */
export function forgetPlaces(db: ProjectionDatabase, size: number): void {
  const kept = placeWithin(db, size)?.size ?? 0;
  db.prepare('DELETE FROM log_places WHERE size < ?').run(kept);
}

/** 48 bits: as many as make a small key, and few enough collisions in any log. */
function prefixOf(leafHash: Uint8Array): number {
  return Buffer.from(leafHash.buffer, leafHash.byteOffset, 6).readUIntBE(0, 6);
}
