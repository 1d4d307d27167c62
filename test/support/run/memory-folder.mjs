import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const PREFIX = 'countersign-tests-';
/** The tests' files are a hundred megabytes at a time, or two; their processes take four gigabytes. */
const NEEDED_SPACE = 1024 ** 3;
const NEEDED_MEMORY = 6 * 1024 ** 3;
const ABANDONED_MS = 3_600_000;

/**
 * A new folder in memory for the files of this run, undefined where the system has none, or not
 * enough. What the stores flush is flushed there too, and takes no time: thousands of commits wait
 * for a disk otherwise. That an acknowledged write is on disk is seen in the system calls.
 */
export function memoryFolder() {
  removeAbandoned();
  if (memoryFree() < NEEDED_MEMORY || spaceFree() < NEEDED_SPACE) return undefined;
  let folder;
  try {
    folder = mkdtempSync(join(MEMORY, `${PREFIX}${process.pid}-`));
    // PostgreSQL passes through it as another user.
    chmodSync(folder, 0o711);
    if (canRunPrograms(folder)) return folder;
  } catch {
    // As good as none.
  }
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  return undefined;
}

/** A container may have less than its machine. */
function memoryFree() {
  return Math.min(freemem(), process.availableMemory?.() ?? Infinity);
}

function spaceFree() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

/** PostgreSQL's programs may have to be copied here. */
function canRunPrograms(folder) {
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 0;
}

/** What runs that were killed have left behind would stay in memory. */
function removeAbandoned() {
  for (const name of namesIn(MEMORY)) {
    if (name.startsWith(PREFIX) && isAbandoned(name)) removeIfOurs(join(MEMORY, name));
  }
}

/** A run in another container has a number that means nothing here; its folder changes all the time. */
function isAbandoned(name) {
  const changed = statSync(join(MEMORY, name), { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  return Date.now() - changed > ABANDONED_MS && !isRunning(Number(name.split('-')[2]));
}

function removeIfOurs(path) {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Of another user, whose next run removes it.
  }
}

function namesIn(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
