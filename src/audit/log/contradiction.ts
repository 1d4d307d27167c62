import type { SignedCheckpoint } from '../../kernel/checkpoint.js';
import { sameHash } from '../../kernel/merkle.js';
import { contradiction } from './checkpoint-rows.js';
import type { TreeView } from './tree-view.js';

/**
 * Why a tree must not be signed, in words for operators; undefined when nothing that was signed
 * speaks against it: neither what this node keeps outside of the log, nor what the log itself holds.
 *
 * @param kept the checkpoint in this node's file
 */
export function contradictionOf(
  tree: TreeView,
  origin: string,
  kept: SignedCheckpoint | undefined,
): string | undefined {
  const inLog = tree.isThere ? contradiction(tree) : undefined;
  if (inLog !== undefined) {
    const { size, revision } = inLog;
    return `checkpoint-signed ${String(revision)} of the stream log is of another tree: its size is ${String(size)}`;
  }
  if (kept === undefined) return undefined;
  const { checkpoint } = kept;
  const size = String(checkpoint.size);
  if (checkpoint.origin !== origin) {
    return `the kept checkpoint is of the log ${checkpoint.origin}, and this one is ${origin}`;
  }
  if (checkpoint.size > tree.size) {
    return `the log holds ${String(tree.size)} audited events, fewer than the ${size} of the kept checkpoint`;
  }
  if (!sameHash(tree.hashes().rootAt(checkpoint.size), checkpoint.rootHash)) {
    return `the first ${size} audited events are not those of the kept checkpoint: the log was changed or forked`;
  }
  return undefined;
}
