import type { EventStore } from '../../event-store/port.js';
import { envelopeText } from '../../kernel/envelope.js';
import { leafHash, sameHash } from '../../kernel/merkle.js';
import { ReadDatabaseDamaged } from '../../projections/read-database.js';
import { LOG_STREAM } from './domain/events.js';
import { LogContradicted } from './log-contradicted.js';
import type { TreeState } from './tables.js';
import type { TreeView } from './tree-view.js';

type Log = Pick<EventStore, 'head' | 'readStream'>;

/**
 * Looks whether a stored tree can go on with a log: the newest event of each kind that it has taken is
 * there, and it has passed none by. That all of its leaves are of the log is proved elsewhere
 * (`provenTree`).
 *
 * @throws {LogContradicted} or ReadDatabaseDamaged
 */
export async function requireSameLog(store: Log, tree: TreeView, state: TreeState): Promise<void> {
  const head = await store.head();
  await requireLastLeaf(store, tree, state, head);
  const { position } = state;
  if (head < position) {
    throw new ReadDatabaseDamaged(`the tree is at ${position}, and the log ends at ${head}`);
  }
  await requireLogStream(store, state);
}

async function requireLastLeaf(
  store: Log,
  tree: TreeView,
  { lastLeaf: place, position, size }: TreeState,
  head: string,
): Promise<void> {
  if (place === null) return;
  const [event] = await store.readStream(place.stream, place.revision, 1);
  if (event === undefined && head < position) {
    throw new LogContradicted(
      `the log ends at ${head}, before ${position}, up to where the tree was made from it`,
    );
  }
  if (event === undefined || !sameHash(leafHash(envelopeText(event)), tree.leafAt(size - 1))) {
    throw new LogContradicted(
      `the log holds another event where leaf ${String(size - 1)} of the tree was made from`,
    );
  }
}

/** What is said about the tree is no leaf of it: no comparison of leaves would notice. */
async function requireLogStream(
  store: Log,
  { position, logRevision, logRecordedAt }: TreeState,
): Promise<void> {
  const isBegun = logRevision >= 0;
  const events = await store.readStream(LOG_STREAM, Math.max(logRevision, 0), isBegun ? 2 : 1);
  const [newest, next] = isBegun ? events : [undefined, ...events];
  if (isBegun && newest?.recordedAt !== logRecordedAt) {
    throw new LogContradicted(
      `the log holds another event ${String(logRevision)} of the stream log than the tree has taken`,
    );
  }
  // Nobody could sign: every signature names the revision that its tree has seen.
  if (next !== undefined && next.position <= position) {
    throw new ReadDatabaseDamaged(
      `the tree is at ${position}, and has not taken event ${String(next.revision)} of the stream log`,
    );
  }
}
