import type { Position } from '../../event-store/port.js';
import { RejectionException } from '../../http/rejection-exception.js';
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

/**
 * The log as this node publishes it: nothing at all while it contradicts what was signed, or nobody has
 * looked yet.
 */
export class PublishedLog implements TransparencyLog {
  constructor(
    /** Public base URL without its scheme, and `/log`. */
    readonly origin: string,
    private readonly tree: TreeView,
    private readonly thread: TreeThread,
    private readonly signer: CheckpointSigner,
  ) {}

  async checkpoint(): Promise<PublishedCheckpoint | undefined> {
    this.requireOurs();
    return await Promise.resolve(this.#newest());
  }

  async checkpointOver(
    leafHash: Uint8Array,
    timeoutMs: number,
  ): Promise<PublishedCheckpoint | undefined> {
    this.requireOurs();
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
    this.requireOurs();
    return covering();
  }

  async checkpointOf(size: number, timeoutMs: number): Promise<PublishedCheckpoint | undefined> {
    this.requireOurs();
    const isThere = (): boolean => (this.#newest()?.size ?? 0) >= size;
    if (!isThere() && timeoutMs > 0) await this.thread.until(isThere, timeoutMs);
    this.requireOurs();
    return this.#newest();
  }

  maySign(): boolean {
    return this.signer.health.state !== 'no-key';
  }

  position(): Position {
    return this.tree.state.position;
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
    return this.inclusionProofs(size)(index);
  }

  inclusionProofs(size: number): (index: number) => readonly Uint8Array[] {
    this.#require(isCount(size) && size <= this.tree.size);
    const hashes = this.tree.hashes();
    return (index) => {
      this.#require(isCount(index) && index < size);
      return hashes.inclusionProof(index, size);
    };
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

  /**
   * Published ones before a revision of the stream `log`, the newest first.
   * @throws {RejectionException} as `checkpoint` does
   */
  checkpoints(before: number, limit: number): readonly (StoredCheckpoint & PublishedCheckpoint)[] {
    this.requireOurs();
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

  /** @throws {RejectionException} `log-inconsistent`, `checkpoint-behind`: see {@link checkpoint} */
  requireOurs(): void {
    if (this.signer.health.state === 'refusing' || this.thread.progress.isContradicted) {
      throw new RejectionException({ code: 'log-inconsistent' });
    }
    if (!this.signer.isChecked) throw new RejectionException({ code: 'checkpoint-behind' });
  }

  #require(isWithin: boolean): void {
    if (!isWithin) throw new RangeError('beyond the tree');
  }
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
