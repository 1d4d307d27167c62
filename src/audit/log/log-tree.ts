import { decodeEvent } from '../../event-store/codec.js';
import type { RecordedEnvelope } from '../../event-store/port.js';
import { decodeBase64Url, encodeBase64Url } from '../../kernel/base64url.js';
import { envelopeText } from '../../kernel/envelope.js';
import { leafHash, sameHash } from '../../kernel/merkle.js';
import type { ProjectionDatabase } from '../../projections/port.js';
import { ReadDatabaseDamaged, type ReadDatabase } from '../../projections/read-database.js';
import { checkpointOfSize, putCheckpoint, putCosignature } from './checkpoint-rows.js';
import { LOG_STREAM, type CheckpointSigned, type LogEvent } from './domain/events.js';
import { LOG_EVENT_TYPES } from './event-types.js';
import { GrowingTiles } from './growing-tiles.js';
import { requireSound } from './sound-tree.js';
import {
  createTables,
  forgetPlaces,
  frontierOf,
  getState,
  getTile,
  putLeaf,
  putPlace,
  putState,
  putTile,
  type TreeState,
} from './tables.js';
import { TreeHashes } from './tree-hashes.js';

/**
 * Writes the Merkle tree over the audited events in log order, and what the stream `log` says about
 * it, into a read database of their own; `TreeView` reads it. One writer at a time.
 */
export class LogTree {
  #state!: TreeState;
  /** Undefined after a fault, when it may be ahead of what is stored. */
  #growing: GrowingTiles | undefined;

  /**
   * @param origin of the checkpoints that count.
   * @param engine of the log's store: positions of another one mean nothing to it.
   */
  constructor(
    private readonly database: ReadDatabase,
    private readonly origin: string,
    private readonly engine: string,
  ) {
    this.reopen();
  }

  /**
   * Goes back to what is stored: at the start, and after a fault has undone some.
   * @throws {ReadDatabaseDamaged}
   */
  reopen(): void {
    this.database.resume();
    this.database.transaction((db) => {
      createTables(db);
      this.#state = getState(db);
      requireOwnPosition(this.#state, this.engine);
      const readTile = (level: number, number: number) => getTile(db, level, number);
      requireSound(this.#state, new TreeHashes(readTile));
      this.#growing = new GrowingTiles(this.#state.size, readTile);
    });
  }

  /** As it is stored. */
  get state(): TreeState {
    return this.#state;
  }

  /**
   * Takes events in log order, in one transaction with the position: audited ones become leaves,
   * those of the stream `log` are judged by the tree as it is at that place. Other ones pass by.
   *
   * @returns the hashes of the new leaves
   */
  take(events: readonly RecordedEnvelope[]): readonly Uint8Array[] {
    const last = events.at(-1);
    if (last === undefined) return [];
    const leaves: Uint8Array[] = [];
    const growing = this.#growing;
    if (growing === undefined) throw new Error('the tree is not open');
    this.#growing = undefined;
    this.#state = this.database.transaction((db) => {
      let state = this.#state;
      const frontier = frontierOf(state);
      const writer = {
        put: (level: number, number: number, hashes: Uint8Array) => {
          putTile(db, level, number, hashes);
        },
      };
      for (const event of events) {
        const { stream, revision } = event;
        if (stream === LOG_STREAM) {
          growing.flush(writer);
          takeLogEvent(db, event, growing.size, this.origin);
          state = { ...state, logRevision: revision, logRecordedAt: event.recordedAt };
          continue;
        }
        if (stream.startsWith(LOG_STREAM)) continue;
        const hash = leafHash(envelopeText(event));
        putLeaf(db, hash, growing.size);
        growing.append(hash, writer);
        frontier.append(hash);
        leaves.push(hash);
        state = { ...state, lastLeaf: { stream, revision } };
      }
      growing.flush(writer);
      if (leaves.length > 0 && state.lastLeaf !== null) putPlace(db, growing.size, state.lastLeaf);
      state = {
        ...state,
        size: growing.size,
        frontier: frontier.roots.map(encodeBase64Url),
        position: last.position,
        engine: this.engine,
      };
      putState(db, state);
      return state;
    });
    this.#growing = growing;
    return leaves;
  }
}

/**
 * A log that was moved has the same leaves at other places: where to go on is not known.
 * @throws {ReadDatabaseDamaged}
 */
function requireOwnPosition({ position, engine }: TreeState, ownEngine: string): void {
  if (engine === null || engine === ownEngine) return;
  throw new ReadDatabaseDamaged(
    `the tree is at ${position} of a log on ${engine}, which is on ${ownEngine} now`,
  );
}

/** Tells what the log says of its tree apart from what is so: `holds`. */
function takeLogEvent(
  db: ProjectionDatabase,
  envelope: RecordedEnvelope,
  size: number,
  origin: string,
): void {
  const { type, data } = decodeEvent<LogEvent>(envelope, LOG_EVENT_TYPES, undefined);
  const { revision, recordedAt } = envelope;
  switch (type) {
    case 'checkpoint-signed': {
      const { keyId, note } = data;
      const rootHash = decodeBase64Url(data.rootHash) ?? new Uint8Array();
      const holds = isOfTree(db, data, rootHash, size, origin);
      putCheckpoint(db, { revision, recordedAt, size: data.size, rootHash, keyId, note, holds });
      if (holds) forgetPlaces(db, data.size);
      return;
    }
    case 'checkpoint-cosigned': {
      const checkpoint = checkpointOfSize(db, data.size);
      if (checkpoint !== undefined) putCosignature(db, checkpoint.revision, data);
    }
  }
}

function isOfTree(
  db: ProjectionDatabase,
  checkpoint: CheckpointSigned['data'],
  rootHash: Uint8Array,
  size: number,
  origin: string,
): boolean {
  if (checkpoint.origin !== origin || checkpoint.size > size) return false;
  const hashes = new TreeHashes((level, number) => getTile(db, level, number));
  return sameHash(hashes.rootAt(checkpoint.size), rootHash);
}
