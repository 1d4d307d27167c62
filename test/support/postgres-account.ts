import { execFileSync, spawnSync } from 'node:child_process';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Exists wherever there are users: initdb wants its own looked up, so that a bare number is none. */
const NAME = 'nobody';

/** Whom PostgreSQL runs as, in the form that `child_process` takes. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** Of somebody else where we are root, whom PostgreSQL refuses to run as; else undefined: our own. */
export function unprivilegedAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string): number =>
    Number(execFileSync('id', [flag, NAME], { encoding: 'utf8', stdio: 'pipe' }));
  const account = { uid: id('-u'), gid: id('-g') };
  // Says so at once where root may not become anybody else.
  isOpenTo(account, '/');
  return account;
}

/** Whether the account may read a file, or enter a folder, and run or pass through it. */
export function isOpenTo(account: Account, path: string): boolean {
  const test = ['-c', '[ -r "$1" ] && [ -x "$1" ]', 'sh', path];
  const { error, status } = spawnSync('/bin/sh', test, { ...account, cwd: '/' });
  if (error !== undefined) throw new Error(`root may not become ${NAME} here: ${error.message}`);
  return status === 0;
}

/** A new folder that belongs to the account, and that it gets at. */
export async function privateFolder(account: Account | undefined): Promise<string> {
  // The system's temporary folder may be one that only root gets at.
  const parents = account === undefined ? [tmpdir()] : [tmpdir(), '/tmp', '/var/tmp'];
  const reasons: string[] = [];
  for (const parent of parents) {
    let folder: string | undefined;
    try {
      folder = await mkdtemp(join(parent, 'countersign-postgres-'));
      if (account === undefined) return folder;
      await chown(folder, account.uid, account.gid);
      if (isOpenTo(account, folder)) return folder;
      reasons.push(`${parent} is closed to ${NAME}`);
    } catch (error) {
      reasons.push(String(error));
    }
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
  throw new Error(`no folder for the server's files: ${reasons.join('; ')}`);
}
