import { START, type EventStore, type Position } from '../../event-store/port.js';
import { envelopeText } from '../../kernel/envelope.js';
import {
  leafHash,
  MerkleFrontier,
  sameHash,
  verifyConsistency,
  verifyInclusion,
} from '../../kernel/merkle.js';
import { letOthersRun } from '../../threads/let-others-run.js';
import { AUDITED_STREAM_PREFIXES } from '../audited-streams.js';
import { newestCheckpoint } from './checkpoint-rows.js';
import { LeafCheck } from './leaf-check.js';
import { placeWithin, type TreeState } from './tables.js';
import type { TreeView } from './tree-view.js';

type Log = Pick<EventStore, 'readStream' | 'readAll'>;

/** Events that are compared before others get their turn. */
const EVENTS_PER_TURN = 128;

/**
 * The tree of the log's events up to where the stored one is, computed from the events alone. It
 * begins at a place under the newest checkpoint, which the signed root proves; what is not signed yet
 * is hashed anew, so that no fault of the stored tree is ever signed.
 *
 * @returns undefined when it is told to stop
 * @throws {ReadDatabaseDamaged} or LogContradicted when the stored tree is another one
 */
export async function provenTree(
  store: Log,
  tree: TreeView,
  state: TreeState,
  signal: AbortSignal,
): Promise<MerkleFrontier | undefined> {
  const { frontier, position } = await signedStart(store, tree);
  const check = new LeafCheck(tree, frontier);
  const filter = { streamPrefixes: AUDITED_STREAM_PREFIXES };
  for await (const event of store.readAll(position, filter)) {
    if (signal.aborted) return undefined;
    if (event.position > state.position) break;
    check.take(event);
    if (check.frontier.size % EVENTS_PER_TURN === 0) await letOthersRun();
  }
  return check.end(state.size);
}

interface Start {
  /** Of the leaves up to the position. */
  readonly frontier: MerkleFrontier;
  readonly position: Position;
}

/** Where the signed root vouches for what is stored; else the start of the log. */
async function signedStart(store: Log, tree: TreeView): Promise<Start> {
  const start = { frontier: new MerkleFrontier(), position: START };
  const newest = newestCheckpoint(tree);
  const place = newest && placeWithin(tree, newest.size);
  if (newest === undefined || place === undefined) return start;
  const [event] = await store.readStream(place.stream, place.revision, 1);
  if (event === undefined) return start;
  const { size: first } = place;
  const { size, rootHash: root } = newest;
  try {
    const hashes = tree.hashes();
    const frontier = hashes.frontierAt(first);
    const isOurs = verifyConsistency({
      first,
      second: size,
      firstRoot: frontier.root(),
      secondRoot: root,
      proof: hashes.consistencyProof(first, size),
    });
    // The event itself is proved to be the leaf: its place may be stored wrongly.
    const isThere = verifyInclusion({
      leafHash: leafHash(envelopeText(event)),
      index: first - 1,
      size,
      proof: hashes.inclusionProof(first - 1, size),
      root,
    });
    const isWhole = sameHash(hashes.rootAt(first), frontier.root());
    return isOurs && isThere && isWhole ? { frontier, position: event.position } : start;
  } catch (error) {
    if (error instanceof RangeError) return start;
    throw error;
  }
}
