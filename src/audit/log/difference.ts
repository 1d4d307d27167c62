import type { RecordedEnvelope } from '../../event-store/port.js';
import { verifyInclusion } from '../../kernel/merkle.js';
import { ReadDatabaseDamaged } from '../../projections/read-database.js';
import { newestCheckpoint } from './checkpoint-rows.js';
import { LogContradicted } from './log-contradicted.js';
import type { TreeView } from './tree-view.js';

/**
 * What it means that the log and the stored tree differ at a leaf. When the stored one is proved to
 * be what was signed, the log was changed; otherwise the stored tree is no good, and is made anew.
 *
 * @param event that stands in the log where the leaf comes from; undefined when the log ends before
 */
export function differenceAt(
  tree: TreeView,
  index: number,
  event: RecordedEnvelope | undefined,
): LogContradicted | ReadDatabaseDamaged {
  const leaf = `leaf ${String(index)}`;
  const found =
    event === undefined ? 'no event' : `event ${String(event.revision)} of ${event.stream}`;
  return isSigned(tree, index)
    ? new LogContradicted(`the log holds ${found} where another was signed as ${leaf}`)
    : new ReadDatabaseDamaged(`${leaf} is stored otherwise: the log holds ${found} there`);
}

function isSigned(tree: TreeView, index: number): boolean {
  const newest = newestCheckpoint(tree);
  if (newest === undefined || index >= newest.size) return false;
  const { size, rootHash: root } = newest;
  try {
    const proof = tree.hashes().inclusionProof(index, size);
    return verifyInclusion({ leafHash: tree.leafAt(index), index, size, proof, root });
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
