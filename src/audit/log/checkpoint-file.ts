import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseSignedCheckpoint, type SignedCheckpoint } from '../../kernel/checkpoint.js';

/** The file holds something else than a checkpoint: nobody knows what was signed. */
class CheckpointFileUnreadable extends Error {
  override readonly name = 'CheckpointFileUnreadable';
}

/**
 * The newest checkpoint that this node signed or saw published, outside of the log: what a restored
 * backup of the log does not take back. It holds a signed note (c2sp.org/tlog-checkpoint).
 */
export class CheckpointFile {
  constructor(readonly path: string) {}

  /**
   * Undefined when there is no such file.
   * @throws {CheckpointFileUnreadable}
   */
  async read(): Promise<SignedCheckpoint | undefined> {
    let bytes: Uint8Array;
    try {
      bytes = await readFile(this.path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return undefined;
      throw new CheckpointFileUnreadable(`${this.path} cannot be read (${code ?? 'unknown'})`);
    }
    const checkpoint = parseSignedCheckpoint(bytes);
    if (checkpoint === undefined) {
      throw new CheckpointFileUnreadable(`${this.path} holds no signed checkpoint`);
    }
    return checkpoint;
  }

  /** Flushed to the disk when it returns; a crash leaves the old one or the new one, whole. */
  async write(note: string): Promise<void> {
    const folder = dirname(this.path);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // Always this one, so that what a killed process leaves behind is taken away by the next.
    const draft = `${this.path}.draft`;
    await rm(draft, { force: true });
    try {
      await writeFlushed(draft, note);
      await rename(draft, this.path);
    } finally {
      await rm(draft, { force: true });
    }
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}

async function writeFlushed(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
