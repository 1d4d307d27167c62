import { AuditFault } from './audit-fault.js';

/** The largest event: a contract of 256 KiB, sealed and unsealed, and what stands around it. */
const MAX_LINE_BYTES = 2 * 1024 * 1024;
/** Lines are handed on together once they are so many bytes. */
const BLOCK_BYTES = 256 * 1024;

const NEWLINE = 0x0a;

/**
 * Whole lines, each with its newline, in blocks; a block, like a chunk, holds only until the next is asked
 * for. Of chunks that break off, what was whole comes first.
 * @throws {AuditFault} `events-malformed`: a line that is longer than any event, or has no end
 */
export async function* lineBlocks(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, undefined> {
  let waiting = Buffer.allocUnsafe(2 * BLOCK_BYTES);
  let size = 0;
  let unfinished = 0;
  try {
    for await (const chunk of chunks) {
      if (size + chunk.length > waiting.length) {
        waiting = Buffer.concat([waiting.subarray(0, size)], 2 * (size + chunk.length));
      }
      waiting.set(chunk, size);
      size += chunk.length;
      const lastEnd = chunk.lastIndexOf(NEWLINE);
      unfinished = lastEnd === -1 ? unfinished + chunk.length : chunk.length - lastEnd - 1;
      if (unfinished > MAX_LINE_BYTES) throw tooLong();
      if (size - unfinished < BLOCK_BYTES) continue;
      yield waiting.subarray(0, size - unfinished);
      waiting.copyWithin(0, size - unfinished, size);
      size = unfinished;
    }
  } catch (error) {
    if (size > unfinished) yield waiting.subarray(0, size - unfinished);
    throw error;
  }
  if (size > unfinished) yield waiting.subarray(0, size - unfinished);
  if (unfinished > 0) throw new AuditFault('events-malformed', 'the last event is cut off');
}

/** Where each line of a block begins and ends, without its newline. */
export function* linesOf(
  block: Uint8Array,
): Generator<readonly [begin: number, end: number], void> {
  for (let begin = 0; begin < block.length;) {
    const end = block.indexOf(NEWLINE, begin);
    if (end - begin > MAX_LINE_BYTES) throw tooLong();
    yield [begin, end];
    begin = end + 1;
  }
}

function tooLong(): AuditFault {
  return new AuditFault('events-malformed', 'a line is longer than 2 MiB');
}
