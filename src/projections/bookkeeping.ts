import type { Position } from '../event-store/port.js';
import type { ParkedEvent, ProjectionDatabase, ReadStatement } from './port.js';

/**
 * The runner's own tables beside the views': how far each projection is, what it could not apply,
 * and which log the rows were made from. They change in the transactions of the rows themselves.
 */

export interface ProjectionCheckpoint {
  readonly version: number;
  readonly position: Position;
  /** Whether the view has ever reached the head since its last rebuild. */
  readonly complete: boolean;
}

/** A failed event and when to try it again; null when that is left to the next start. */
export interface ParkedFailure {
  readonly attempts: number;
  readonly error: string;
  readonly retryAt: number | null;
}

/** An event's place, as it is parked. */
export interface ParkedPlace {
  readonly position: Position;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
}

type Queries = { prepare<Row>(sql: string): ReadStatement<Row> };

const LAYOUT = '2';

/** Makes the tables where they are missing, and anew where an earlier layout left its own. */
export function createBookkeeping(db: ProjectionDatabase): void {
  db.exec('CREATE TABLE IF NOT EXISTS runner (name TEXT PRIMARY KEY, value TEXT NOT NULL)');
  if (getSetting(db, 'layout') === LAYOUT) return;
  db.exec(`
    DROP TABLE IF EXISTS runner_checkpoints;
    CREATE TABLE runner_checkpoints (
      projection TEXT PRIMARY KEY, version INTEGER NOT NULL, position TEXT NOT NULL,
      complete INTEGER NOT NULL
    ) WITHOUT ROWID;
    DROP TABLE IF EXISTS runner_parked;
    CREATE TABLE runner_parked (
      projection TEXT NOT NULL, position TEXT NOT NULL, stream TEXT NOT NULL,
      revision INTEGER NOT NULL, type TEXT NOT NULL, attempts INTEGER NOT NULL,
      error TEXT, retry_at INTEGER, PRIMARY KEY (projection, position)
    ) WITHOUT ROWID;
    CREATE INDEX runner_parked_by_stream ON runner_parked (stream, projection, position);
    CREATE INDEX runner_parked_next ON runner_parked (retry_at) WHERE retry_at IS NOT NULL;
    CREATE INDEX runner_parked_first ON runner_parked (projection, position)
      WHERE retry_at IS NOT NULL;
  `);
  putSetting(db, 'layout', LAYOUT);
}

/**
 * What all projections of the read database share: `layout`, that of the tables here, or `log`, the
 * identity of the log that the views were made from. Undefined before it was first put.
 */
export function getSetting(db: Queries, name: 'layout' | 'log'): string | undefined {
  return db.prepare<{ value: string }>('SELECT value FROM runner WHERE name = ?').get(name)?.value;
}

/** Takes the place of an earlier value. */
export function putSetting(db: ProjectionDatabase, name: 'layout' | 'log', value: string): void {
  db.prepare('INSERT OR REPLACE INTO runner (name, value) VALUES (?, ?)').run(name, value);
}

/** How far a projection has read, and in which version; undefined for one that never began. */
export function getCheckpoint(db: Queries, projection: string): ProjectionCheckpoint | undefined {
  const row = db
    .prepare<{ version: number; position: Position; complete: number }>(
      'SELECT version, position, complete FROM runner_checkpoints WHERE projection = ?',
    )
    .get(projection);
  return row && { ...row, complete: row.complete === 1 };
}

/**
 * Takes the place of an earlier one. In the transaction of the rows that it tells of, so that neither is
 * there without the other.
 */
export function putCheckpoint(
  db: ProjectionDatabase,
  projection: string,
  to: ProjectionCheckpoint,
): void {
  db.prepare(
    `INSERT OR REPLACE INTO runner_checkpoints (projection, version, position, complete)
     VALUES (?, ?, ?, ?)`,
  ).run(projection, to.version, to.position, to.complete ? 1 : 0);
}

/** Forgets projections that this build does not have. Should one come back, it is rebuilt. */
export function forgetOthers(db: ProjectionDatabase, projections: readonly string[]): void {
  const names = JSON.stringify(projections);
  for (const table of ['runner_checkpoints', 'runner_parked']) {
    db.prepare(`DELETE FROM ${table} WHERE projection NOT IN (SELECT value FROM json_each(?))`).run(
      names,
    );
  }
}

/** @param failure null for an event that stands behind a failed one of its stream. */
export function park(
  db: ProjectionDatabase,
  projection: string,
  place: ParkedPlace,
  failure: ParkedFailure | null,
): void {
  db.prepare(
    `INSERT OR REPLACE INTO runner_parked
       (projection, position, stream, revision, type, attempts, error, retry_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    projection,
    place.position,
    place.stream,
    place.revision,
    place.type,
    failure?.attempts ?? 0,
    failure?.error ?? null,
    failure?.retryAt ?? null,
  );
}

/**
 * Ends the waiting of the first parked event of a stream. The one behind it is to be tried then: should
 * nobody come to it any more in this go, that is the next retry.
 */
export function unpark(
  db: ProjectionDatabase,
  projection: string,
  { stream, position }: Pick<ParkedPlace, 'stream' | 'position'>,
  now: number,
): void {
  db.prepare('DELETE FROM runner_parked WHERE projection = ? AND position = ?').run(
    projection,
    position,
  );
  db.prepare(
    `UPDATE runner_parked SET retry_at = ? WHERE projection = ? AND position =
       (SELECT min(position) FROM runner_parked WHERE stream = ? AND projection = ?)`,
  ).run(now, projection, stream, projection);
}

/** Forgets every parked event of a projection, whose rows are about to be made anew. */
export function unparkAll(db: ProjectionDatabase, projection: string): void {
  db.prepare('DELETE FROM runner_parked WHERE projection = ?').run(projection);
}

/** The parked events of one projection and, where given, one stream; in log order. */
export function parkedOf(db: Queries, projection: string, stream?: string): ParkedEvent[] {
  const where = stream === undefined ? '' : ' AND stream = ?';
  return db
    .prepare<ParkedRow>(
      `SELECT * FROM runner_parked WHERE projection = ?${where} ORDER BY position`,
    )
    .all(...(stream === undefined ? [projection] : [projection, stream]))
    .map(parkedEvent);
}

/** The parked events of one stream in all projections, in log order. */
export function parkedIn(db: Queries, stream: string): ParkedEvent[] {
  return db
    .prepare<ParkedRow>(
      'SELECT * FROM runner_parked WHERE stream = ? ORDER BY position, projection',
    )
    .all(stream)
    .map(parkedEvent);
}

/**
 * Plans another round of retries for events whose retries are used up, as if each had just failed
 * for the first time.
 */
export function planAnotherRound(db: ProjectionDatabase, retryAt: number): void {
  db.prepare(
    'UPDATE runner_parked SET attempts = 1, retry_at = ? WHERE attempts > 0 AND retry_at IS NULL',
  ).run(retryAt);
}

export interface PlannedRetry {
  readonly projection: string;
  readonly stream: string;
  /** Milliseconds since the epoch. */
  readonly retryAt: number;
}

/** The failed event that will be tried again first. */
export function nextRetry(db: Queries): PlannedRetry | undefined {
  return db
    .prepare<PlannedRetry>(
      `SELECT projection, stream, retry_at AS retryAt FROM runner_parked
       WHERE retry_at IS NOT NULL ORDER BY retry_at LIMIT 1`,
    )
    .get();
}

/** The first event of a projection that will still be tried again by itself. */
export function firstRetrying(db: Queries, projection: string): Position | undefined {
  const row = db
    .prepare<{ position: Position | null }>(
      `SELECT min(position) AS position FROM runner_parked
       WHERE projection = ? AND retry_at IS NOT NULL`,
    )
    .get(projection);
  return row?.position ?? undefined;
}

interface ParkedRow {
  projection: string;
  position: Position;
  stream: string;
  revision: number;
  type: string;
  attempts: number;
  error: string | null;
  retry_at: number | null;
}

function parkedEvent({ retry_at: retryAt, ...row }: ParkedRow): ParkedEvent {
  return { ...row, retrying: retryAt !== null };
}
