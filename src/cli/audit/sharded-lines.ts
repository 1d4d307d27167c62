import { linesOf } from './line-blocks.js';
import { guessStream, isShared, shardOf } from './routing.js';
import type { ShardLines } from './shard-protocol.js';

/** A block of the log, dealt out. */
export interface DealtBlock {
  /** By shard. */
  readonly shards: readonly ShardLines[];
  /** How many lines it had. */
  readonly lines: number;
}

/**
 * Deals the lines of a block out to the shards: each to the one that judges its stream, those that
 * everybody needs to all.
 *
 * @param first place of the block's first line in the log
 * @param most lines beyond so many are left out
 */
export function deal(
  block: Uint8Array,
  first: number,
  shards: number,
  most = Infinity,
): DealtBlock {
  const buffer = Buffer.from(block.buffer, block.byteOffset, block.byteLength);
  const dealt = Array.from({ length: shards }, () => ({
    lines: [] as Uint8Array[],
    indices: [] as number[],
  }));
  let lines = 0;
  for (const [begin, end] of linesOf(buffer)) {
    if (lines >= most) break;
    const index = first + lines++;
    const stream = guessStream(buffer, begin, end);
    // A line without a stream is none of the log's: whoever gets it says so.
    const judge = stream === undefined ? 0 : shardOf(stream, shards);
    const isForAll = stream !== undefined && isShared(stream);
    const line = buffer.subarray(begin, end + 1);
    dealt.forEach((share, shard) => {
      if (!isForAll && shard !== judge) return;
      share.lines.push(line);
      share.indices.push(index);
    });
  }
  return {
    lines,
    shards: dealt.map((share) => ({
      lines: copyOf(share.lines),
      indices: Float64Array.from(share.indices),
    })),
  };
}

/** In memory of its own, which can be handed over. */
function copyOf(lines: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(lines.reduce((size, line) => size + line.length, 0));
  let at = 0;
  for (const line of lines) {
    bytes.set(line, at);
    at += line.length;
  }
  return bytes;
}
