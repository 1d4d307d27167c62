import type { PublishedCheckpoint, TransparencyLog } from '../queries/transparency-log.js';
import {
  checkpointsBefore,
  cosignaturesOf,
  newestCheckpoint,
  newestCosigned,
  type StoredCheckpoint,
} from './checkpoint-rows.js';
import type { CheckpointSigner } from './checkpoint-signer.js';
import type { TreeThread } from './tree-thread.js';
import type { TreeView } from './tree-view.js';

/** The log as this node publishes it. */
export class PublishedLog implements TransparencyLog {
  constructor(
    /** Public base URL without its scheme, and `/log`. */
    readonly origin: string,
    private readonly tree: TreeView,
    private readonly thread: TreeThread,
    private readonly signer: CheckpointSigner,
  ) {}

  async checkpoint(): Promise<PublishedCheckpoint | undefined> {
    return Promise.resolve(this.#newest());
  }

  async checkpointOver(
    leafHash: Uint8Array,
    timeoutMs: number,
  ): Promise<PublishedCheckpoint | undefined> {
    const covering = (): PublishedCheckpoint | undefined => {
      const index = this.tree.indexOf(leafHash);
      const newest = this.#newest();
      return index !== undefined && newest !== undefined && index < newest.size
        ? newest
        : undefined;
    };
    const now = covering();
    if (now !== undefined || timeoutMs <= 0) return now;
    this.signer.signSoon();
    await this.thread.until(() => covering() !== undefined, timeoutMs);
    return covering();
  }

  size(): number {
    return this.tree.size;
  }

  indexOf(leafHash: Uint8Array): number | undefined {
    return this.tree.indexOf(leafHash);
  }

  rootAt(size: number): Uint8Array {
    this.#require(size <= this.tree.size && isCount(size));
    return this.tree.hashes().rootAt(size);
  }

  inclusionProof(index: number, size: number): readonly Uint8Array[] {
    this.#require(isCount(index) && isCount(size) && index < size && size <= this.tree.size);
    return this.tree.hashes().inclusionProof(index, size);
  }

  consistencyProof(first: number, second: number): readonly Uint8Array[] {
    this.#require(isCount(first) && isCount(second) && first <= second && second <= this.tree.size);
    return this.tree.hashes().consistencyProof(first, second);
  }

  /** @throws {RangeError} beyond the tree */
  leafAt(index: number): Uint8Array {
    return this.tree.leafAt(index);
  }

  /** The hashes of a tile as far as the tree has it. @throws {RangeError} */
  tile(level: number, number: number): Uint8Array {
    return this.tree.tile(level, number);
  }

  /** Published ones before a revision of the stream `log`, the newest first. */
  checkpoints(before: number, limit: number): readonly (StoredCheckpoint & PublishedCheckpoint)[] {
    if (!this.tree.isThere) return [];
    return checkpointsBefore(this.tree, before, limit).map((each) => this.#published(each));
  }

  newestCosignedBy(witness: string): { size: number; cosignedAt: number } | undefined {
    return this.tree.isThere ? newestCosigned(this.tree, witness) : undefined;
  }

  #newest(): (StoredCheckpoint & PublishedCheckpoint) | undefined {
    const newest = this.tree.isThere ? newestCheckpoint(this.tree) : undefined;
    return newest && this.#published(newest);
  }

  #published(checkpoint: StoredCheckpoint): StoredCheckpoint & PublishedCheckpoint {
    const lines = cosignaturesOf(this.tree, checkpoint.revision).map(({ line }) => line);
    return { ...checkpoint, note: checkpoint.note + lines.join('') };
  }

  #require(isWithin: boolean): void {
    if (!isWithin) throw new RangeError('beyond the tree');
  }
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
