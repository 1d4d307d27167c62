import type { Position } from '../../event-store/port.js';

/** A published checkpoint: the signed statement of a tree's size and root. */
export interface PublishedCheckpoint {
  readonly size: number;
  /** 32 bytes. */
  readonly rootHash: Uint8Array;
  /** The signed note (c2sp.org/tlog-checkpoint), the cosignatures of witnesses included. */
  readonly note: string;
}

/**
 * The Merkle tree (RFC 6962 hashing) over the audited events in log order, as this node has built it.
 * Hashes are 32 bytes; indices and sizes count leaves from 0.
 */
export interface TransparencyLog {
  /**
   * The newest published checkpoint that this node's tree reaches; undefined before the first.
   * @throws {RejectionException} `log-inconsistent` while the log contradicts what was signed,
   * `checkpoint-behind` while this node has not compared them yet
   */
  checkpoint(): Promise<PublishedCheckpoint | undefined>;

  /**
   * The newest published checkpoint once the leaf of this hash is under it. Asks the signer not to
   * wait for its interval. Undefined when it takes longer than `timeoutMs`, whatever the reason: this
   * node's tree is behind, no node signs, there is no such leaf. Throws as {@link checkpoint} does.
   */
  checkpointOver(leafHash: Uint8Array, timeoutMs: number): Promise<PublishedCheckpoint | undefined>;

  /**
   * The newest published checkpoint once it is of so many leaves at least; one of fewer, or none, when that
   * takes longer than `timeoutMs`. Nothing is signed for it. Throws as {@link checkpoint} does.
   */
  checkpointOf(size: number, timeoutMs: number): Promise<PublishedCheckpoint | undefined>;

  /** False when this node is known to hold no key for checkpoints: what is missing may never come. */
  maySign(): boolean;

  /** Every audited event up to here is a leaf of this node's tree. */
  position(): Position;

  /** Leaves in this node's tree: at least the checkpoint's. */
  size(): number;

  /** Where the leaf of this hash stands; undefined when this node's tree does not hold it. */
  indexOf(leafHash: Uint8Array): number | undefined;

  /** Root of the first `size` leaves. @throws {RangeError} beyond the tree. */
  rootAt(size: number): Uint8Array;

  /** Audit path, RFC 6962 section 2.1.1. @throws {RangeError} unless index < size ≤ the tree's. */
  inclusionProof(index: number, size: number): readonly Uint8Array[];

  /**
   * As {@link inclusionProof}, for many leaves of one tree: what the paths share is read once.
   * @throws {RangeError} beyond the tree; so does what it gives.
   */
  inclusionProofs(size: number): (index: number) => readonly Uint8Array[];

  /** RFC 6962 section 2.1.2. @throws {RangeError} unless first ≤ second ≤ the tree's size. */
  consistencyProof(first: number, second: number): readonly Uint8Array[];
}

/** The container's name of the {@link TransparencyLog}. */
export const TRANSPARENCY_LOG = Symbol('TransparencyLog');
