import { open } from 'node:fs/promises';
import { AuditFault } from './audit-fault.js';

const CHUNK_BYTES = 256 * 1024;

/**
 * The bytes of a file, or of stdin for `-`, as they come; each chunk holds only until the next is asked
 * for.
 * @throws {AuditFault} `input-unreadable`
 */
export async function* chunksOf(file: string): AsyncGenerator<Uint8Array, undefined> {
  try {
    yield* file === '-' ? (process.stdin as AsyncIterable<Uint8Array>) : chunksOfFile(file);
  } catch (error) {
    if (error instanceof AuditFault) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new AuditFault('input-unreadable', `${file} cannot be read (${code ?? 'unknown error'})`);
  }
}

/** Into the same memory each time, unlike a stream. */
async function* chunksOfFile(file: string): AsyncGenerator<Uint8Array, undefined> {
  const handle = await open(file);
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  try {
    for (;;) {
      const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, null);
      if (bytesRead === 0) return;
      yield chunk.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}
