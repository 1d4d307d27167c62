import type { HealthSource } from '../../http/health/health-source.js';
import { newestCheckpoint } from './checkpoint-rows.js';
import type { CheckpointSigner } from './checkpoint-signer.js';
import type { TreeThread } from './tree-thread.js';
import type { TreeView } from './tree-view.js';

/**
 * The tree and its signer. A node that only cannot sign (no key, a tree that is behind) stays in
 * service; one whose log contradicts what was signed, or what its tree was made from, does not: its
 * log is not the one that was promised. Nor does one that cannot know yet, because its tree has not
 * reached the checkpoint that it keeps.
 */
export function transparencyLogHealth(
  tree: TreeView,
  thread: TreeThread,
  signer: CheckpointSigner,
): HealthSource {
  return {
    name: 'transparency-log',
    check: () => {
      const { position, stalled, isContradicted } = thread.progress;
      const newest = tree.isThere ? newestCheckpoint(tree) : undefined;
      const { size } = tree;
      const { state, fault } = signer.healthOver(size - (newest?.size ?? 0));
      return {
        healthy: signer.isChecked && state !== 'refusing' && !isContradicted,
        details: {
          size,
          position,
          stalled,
          published: newest === undefined ? null : { size: newest.size, at: newest.recordedAt },
          signer: { state, fault },
        },
      };
    },
  };
}
