import { randomBytes } from 'node:crypto';
import { link, mkdir, open, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Why a file of private keys is not used. The message names the file and is meant for operators. */
export class PrivateFileError extends Error {
  override readonly name = 'PrivateFileError';
}

/**
 * The text of a file that only its owner can read and write.
 * @returns undefined when there is no such file
 * @throws {PrivateFileError} when group or others have any right on it, or it is no regular file
 */
export async function readPrivateFile(path: string): Promise<string | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new PrivateFileError(`${path} cannot be read (${code ?? 'unknown'})`);
  }
  try {
    // Asked of the open file, so that it cannot be exchanged in between.
    const { mode } = await file.stat();
    if ((mode & 0o170000) !== 0o100000) throw new PrivateFileError(`${path} is no regular file`);
    if ((mode & 0o077) !== 0) {
      throw new PrivateFileError(`${path} must be accessible to its owner only: chmod 600 ${path}`);
    }
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/**
 * Creates such a file, whole or not at all; a file that another process has created meanwhile stays.
 * Its folder is made when it is missing, for the owner only.
 * @returns what the file holds now
 */
export async function createPrivateFile(path: string, text: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
    await file.close();
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await file.close().catch(() => undefined);
    await rm(draft, { force: true });
  }
  const stored = await readPrivateFile(path);
  if (stored === undefined) throw new PrivateFileError(`${path} disappeared`);
  return stored;
}
