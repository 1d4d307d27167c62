import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { parseSignedCheckpoint, type SignedCheckpoint } from '../../kernel/checkpoint.js';
import { formatNote } from '../../kernel/signed-note.js';
import { AuditFault } from './audit-fault.js';

/**
 * The checkpoint that an earlier audit led to; undefined before the first one. The file is the signed
 * note itself, so that `countersign verify --trust FILE` takes it too.
 * @throws {AuditFault} `input-unreadable`, `checkpoint-malformed`
 */
export async function readKeptCheckpoint(file: string): Promise<SignedCheckpoint | undefined> {
  let note: Uint8Array;
  try {
    note = await readFile(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new AuditFault('input-unreadable', `${file} cannot be read (${code ?? 'unknown error'})`);
  }
  const kept = parseSignedCheckpoint(note);
  if (kept === undefined) {
    throw new AuditFault('checkpoint-malformed', `${file} holds no checkpoint; it was not written`);
  }
  return kept;
}

/**
 * Keeps a checkpoint in place of the one before: flushed, and all of it or nothing.
 * @throws {AuditFault} `output-unwritable`
 */
export async function keepCheckpoint(file: string, { note }: SignedCheckpoint): Promise<void> {
  const beside = `${file}.${randomUUID()}`;
  try {
    const handle = await open(beside, 'wx', 0o644);
    try {
      await handle.writeFile(formatNote(note));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(beside, file);
  } catch (error) {
    await rm(beside, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    throw new AuditFault('output-unwritable', `${file} cannot be written (${code ?? 'unknown'})`);
  }
}
