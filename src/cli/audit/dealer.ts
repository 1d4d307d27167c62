import { HASH_BYTES } from '../../kernel/merkle.js';
import { guessStream } from './guess-stream.js';
import { linesOf } from './line-blocks.js';
import { RecycledBuffers } from './recycled-buffers.js';
import { isShared, shardOf } from './shard-of.js';
import type { ShardLines } from './shard-protocol.js';

/** A block of the log, dealt out. */
export interface DealtBlock {
  /** By shard. */
  readonly shards: readonly ShardLines[];
  /** How many lines it had. */
  readonly lines: number;
}

/** What a shard is to get of a block: where its lines begin and end in it, and which they are. */
interface Share {
  readonly ends: (readonly [begin: number, end: number])[];
  readonly indices: number[];
  bytes: number;
}

/**
 * Deals the lines of blocks out to the shards: each to the one that judges its stream, those that
 * everybody needs to all.
 */
export class Dealer {
  readonly #texts = new RecycledBuffers();
  readonly #places = new RecycledBuffers();

  constructor(private readonly shards: number) {}

  /**
   * Copies the lines out of the block.
   * @param first place of the block's first line in the log
   * @param most lines beyond so many are left out
   */
  deal(block: Uint8Array, first: number, most = Infinity): DealtBlock {
    const buffer = Buffer.from(block.buffer, block.byteOffset, block.byteLength);
    const shares = Array.from({ length: this.shards }, (): Share => {
      return { ends: [], indices: [], bytes: 0 };
    });
    let lines = 0;
    for (const [begin, end] of linesOf(buffer)) {
      if (lines >= most) break;
      const index = first + lines++;
      const stream = guessStream(buffer, begin, end);
      // A line without a stream is none of the log's: whoever gets it says so.
      const judge = stream === undefined ? 0 : shardOf(stream, this.shards);
      const isForAll = stream !== undefined && isShared(stream);
      shares.forEach((share, shard) => {
        if (!isForAll && shard !== judge) return;
        share.ends.push([begin, end + 1]);
        share.indices.push(index);
        share.bytes += end + 1 - begin;
      });
    }
    return { lines, shards: shares.map((share) => this.#copied(buffer, share)) };
  }

  /** Takes back what was dealt, once its answer has been read. */
  collect({ lines, indices }: ShardLines): void {
    this.#texts.give(lines.buffer);
    this.#places.give(indices.buffer);
  }

  /** In memory of its own, which can be handed over. */
  #copied(block: Buffer, { ends, indices, bytes }: Share): ShardLines {
    const lines = new Uint8Array(this.#texts.take(bytes), 0, bytes);
    let at = 0;
    for (const [begin, end] of ends) {
      block.copy(lines, at, begin, end);
      at += end - begin;
    }
    const count = indices.length;
    const places = this.#places.take(count * (Float64Array.BYTES_PER_ELEMENT + HASH_BYTES));
    const placed = new Float64Array(places, 0, count);
    placed.set(indices);
    const leaves = new Uint8Array(places, placed.byteLength, count * HASH_BYTES);
    return { lines, indices: placed, leaves };
  }
}
