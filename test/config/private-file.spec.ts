import { chmod, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createPrivateFile,
  PrivateFileError,
  readPrivateFile,
} from '../../src/config/private-file.js';

describe('a file of private keys', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-test-'));
  });

  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  it('is made for its owner alone, in a folder of the same kind', async () => {
    const file = join(folder, 'new', 'keys.json');
    expect(await createPrivateFile(file, 'secret')).toBe('secret');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'new'))).mode & 0o777).toBe(0o700);
    expect(await readPrivateFile(file)).toBe('secret');
  });

  it('is never overwritten, and leaves no draft behind', async () => {
    const file = join(folder, 'keys.json');
    const contents = ['a', 'b', 'c', 'd'];
    const stored = await Promise.all(contents.map((text) => createPrivateFile(file, text)));
    expect(new Set(stored).size).toBe(1);
    expect(contents).toContain(stored[0]);
    expect(await readdir(folder)).toEqual(['keys.json']);
  });

  it('may be absent', async () => {
    expect(await readPrivateFile(join(folder, 'none'))).toBeUndefined();
  });

  it.each([0o640, 0o604, 0o620, 0o610, 0o644])('is refused with the mode %o', async (mode) => {
    const file = join(folder, 'keys.json');
    await writeFile(file, 'secret', { mode: 0o600 });
    await chmod(file, mode);
    await expect(readPrivateFile(file)).rejects.toThrow(PrivateFileError);
    await expect(readPrivateFile(file)).rejects.toThrow(/chmod 600/);
  });

  it('is refused when it is a folder, also behind a link', async () => {
    const link = join(folder, 'link');
    await symlink(folder, link);
    await chmod(folder, 0o700);
    await expect(readPrivateFile(link)).rejects.toThrow(PrivateFileError);
  });
});
