import { existsSync, renameSync, rmSync } from 'node:fs';

const SUFFIXES = ['', '-wal', '-shm', '-journal'];

/**
 * Moves a database file, and what SQLite keeps beside it, to `<file>.damaged`, for whoever wants to know
 * what happened to it; one that was there before is gone. It holds texts that are erased some day, so it
 * stays no longer than the process that found it, and until texts are purged.
 */
export function setAside(file: string): void {
  removeDamaged(file);
  for (const suffix of SUFFIXES) {
    if (existsSync(file + suffix)) renameSync(file + suffix, damaged(file, suffix));
  }
}

/** Removes what was set aside, if anything was. */
export function removeDamaged(file: string): void {
  for (const suffix of SUFFIXES) rmSync(damaged(file, suffix), { force: true });
}

function damaged(file: string, suffix: string): string {
  return `${file}.damaged${suffix}`;
}
