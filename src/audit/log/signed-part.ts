import { START, type EventStore } from '../../event-store/port.js';
import type { Checkpoint } from '../../kernel/checkpoint.js';
import { envelopeText } from '../../kernel/envelope.js';
import { leafHash, MerkleFrontier, sameHash } from '../../kernel/merkle.js';
import { letOthersRun } from '../../threads/let-others-run.js';
import { AUDITED_STREAM_PREFIXES } from '../audited-streams.js';
import type { CheckpointFile } from './checkpoint-file.js';
import { newestCheckpoint } from './checkpoint-rows.js';
import type { TreeView } from './tree-view.js';

export interface SignedPartOptions {
  readonly store: Pick<EventStore, 'readAll'>;
  readonly tree: TreeView;
  /** The checkpoint that this node keeps outside of the log. */
  readonly kept: Pick<CheckpointFile, 'read'>;
  readonly origin: string;
}

type SignedTree = Pick<Checkpoint, 'size' | 'rootHash'>;

/** Events that are hashed before others get their turn. */
const EVENTS_PER_TURN = 128;

/**
 * When tree and log contradict each other, one of the two was exchanged. The kept checkpoint says
 * which: the tree is at fault when everything that was signed is in the log. Where nothing is kept,
 * the tree's word stands.
 */
export class SignedPart {
  /** The kept note that is known not to settle it in favour of the log: hashed once, not at each retry. */
  #unsettledBy: string | undefined;

  constructor(private readonly options: SignedPartOptions) {}

  /** Whether the kept checkpoint, and what was signed after it, is in the log; false when told to stop. */
  async isThere(signal: AbortSignal): Promise<boolean> {
    const kept = await this.#kept();
    if (kept === undefined || kept.note.text === this.#unsettledBy) return false;
    const { checkpoint, note } = kept;
    if (checkpoint.origin === this.options.origin) {
      if (await this.#holdsAll(this.#signedTrees(checkpoint), signal)) return true;
    }
    if (!signal.aborted) this.#unsettledBy = note.text;
    return false;
  }

  /** A file that cannot be read settles nothing; the signer says what is wrong with it. */
  async #kept() {
    try {
      return await this.options.kept.read();
    } catch {
      return undefined;
    }
  }

  /**
   * The file may be a turn behind. A tree that holds what is kept is the signed one as it went on: what
   * it knows to be published after that binds as well.
   */
  #signedTrees(kept: SignedTree): readonly SignedTree[] {
    const newest = newestCheckpoint(this.options.tree);
    const isLater = newest !== undefined && newest.size > kept.size;
    return isLater && this.#mayHold(kept) ? [kept, newest] : [kept];
  }

  #mayHold({ size, rootHash }: SignedTree): boolean {
    const { tree } = this.options;
    try {
      return size <= tree.size && sameHash(tree.hashes().rootAt(size), rootHash);
    } catch (error) {
      if (error instanceof RangeError) return true;
      throw error;
    }
  }

  /** @param signed the smallest first, none of them empty */
  async #holdsAll(signed: readonly SignedTree[], signal: AbortSignal): Promise<boolean> {
    const left = [...signed];
    const frontier = new MerkleFrontier();
    const filter = { streamPrefixes: AUDITED_STREAM_PREFIXES };
    for await (const event of this.options.store.readAll(START, filter)) {
      if (signal.aborted) return false;
      frontier.append(leafHash(envelopeText(event)));
      const [next] = left;
      if (next !== undefined && frontier.size === next.size) {
        if (!sameHash(frontier.root(), next.rootHash)) return false;
        left.shift();
      }
      if (left.length === 0) return true;
      if (frontier.size % EVENTS_PER_TURN === 0) await letOthersRun();
    }
    return false;
  }
}
