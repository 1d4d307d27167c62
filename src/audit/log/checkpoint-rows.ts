import type { KeyId } from '../../kernel/ids.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { ProjectionDatabase, ReadStatement } from '../../projections/port.js';

/** A published checkpoint as the tree's read database keeps it. */
export interface StoredCheckpoint {
  /** Of its event in the stream `log`. */
  readonly revision: number;
  readonly recordedAt: Timestamp;
  readonly size: number;
  readonly rootHash: Uint8Array;
  readonly keyId: KeyId;
  /** With the log's own signature alone. */
  readonly note: string;
  /** Whether the tree over the log has this root at this size. */
  readonly holds: boolean;
}

export interface StoredCosignature {
  /** The witness's verifier key. */
  readonly witness: string;
  /** Seconds since the epoch. */
  readonly cosignedAt: number;
  /** With its newline. */
  readonly line: string;
}

type Queries = { prepare<Row>(sql: string): ReadStatement<Row> };

interface CheckpointRow {
  readonly revision: number;
  readonly recorded_at: Timestamp;
  readonly size: number;
  readonly root: Uint8Array;
  readonly key_id: KeyId;
  readonly note: string;
  readonly holds: number;
}

export function putCheckpoint(db: ProjectionDatabase, checkpoint: StoredCheckpoint): void {
  const { revision, recordedAt, size, rootHash, keyId, note, holds } = checkpoint;
  db.prepare(
    `INSERT OR REPLACE INTO log_checkpoints
       (revision, recorded_at, size, root, key_id, note, holds) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  ).run(revision, recordedAt, size, rootHash, keyId, note, holds ? 1 : 0);
}

/** The newest that holds. */
export function newestCheckpoint(db: Queries): StoredCheckpoint | undefined {
  return checkpointsBefore(db, Number.MAX_SAFE_INTEGER, 1)[0];
}

/** Those that hold and are older than a revision, the newest first. */
export function checkpointsBefore(
  db: Queries,
  revision: number,
  limit: number,
): readonly StoredCheckpoint[] {
  return db
    .prepare<CheckpointRow>(
      `SELECT * FROM log_checkpoints WHERE holds = 1 AND revision < ?
       ORDER BY revision DESC LIMIT +?`,
    )
    .all(revision, limit)
    .map(checkpointOf);
}

/** The newest of a tree of this size that holds. */
export function checkpointOfSize(db: Queries, size: number): StoredCheckpoint | undefined {
  const row = db
    .prepare<CheckpointRow>(
      `SELECT * FROM log_checkpoints WHERE size = ? AND holds = 1
       ORDER BY revision DESC LIMIT 1`,
    )
    .get(size);
  return row && checkpointOf(row);
}

/** One that says of the log what is not so. */
export function contradiction(db: Queries): StoredCheckpoint | undefined {
  const row = db
    .prepare<CheckpointRow>(
      'SELECT * FROM log_checkpoints WHERE holds = 0 ORDER BY revision LIMIT 1',
    )
    .get();
  return row && checkpointOf(row);
}

/** A witness's first cosignature of a checkpoint stays. */
export function putCosignature(
  db: ProjectionDatabase,
  checkpoint: number,
  { witness, cosignedAt, line }: StoredCosignature,
): void {
  db.prepare(
    `INSERT OR IGNORE INTO log_cosignatures (checkpoint, witness, cosigned_at, line)
     VALUES (?, ?, ?, ?)`,
  ).run(checkpoint, witness, cosignedAt, line);
}

/** In the order of the witnesses' keys. */
export function cosignaturesOf(db: Queries, checkpoint: number): readonly StoredCosignature[] {
  return db
    .prepare<{ witness: string; cosigned_at: number; line: string }>(
      'SELECT * FROM log_cosignatures WHERE checkpoint = ? ORDER BY witness',
    )
    .all(checkpoint)
    .map(({ witness, cosigned_at: cosignedAt, line }) => ({ witness, cosignedAt, line }));
}

/** The newest checkpoint that a witness has cosigned, and when. */
export function newestCosigned(
  db: Queries,
  witness: string,
): { readonly size: number; readonly cosignedAt: number } | undefined {
  return db
    .prepare<{ size: number; cosignedAt: number }>(
      `SELECT size, cosigned_at AS cosignedAt FROM log_cosignatures
       JOIN log_checkpoints ON revision = checkpoint
       WHERE witness = ? ORDER BY checkpoint DESC LIMIT 1`,
    )
    .get(witness);
}

function checkpointOf(row: CheckpointRow): StoredCheckpoint {
  const { revision, recorded_at: recordedAt, size, root, key_id: keyId, note, holds } = row;
  return { revision, recordedAt, size, rootHash: root, keyId, note, holds: holds === 1 };
}
