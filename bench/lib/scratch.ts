import {
  closeSync,
  fdatasyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from './statistics.js';

/** `f_type` of statfs(2). */
const FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0xef53, 'ext4'],
  [0x58465342, 'xfs'],
  [0x9123683e, 'btrfs'],
  [0x2fc12fc1, 'zfs'],
  [0xf2f52010, 'f2fs'],
  [0x794c7630, 'overlayfs'],
  [0x6969, 'nfs'],
  [0x01021994, 'tmpfs'],
  [0x858458f6, 'ramfs'],
]);

const IN_MEMORY: ReadonlySet<string> = new Set(['tmpfs', 'ramfs']);

export interface Scratch {
  readonly folder: string;
  remove(): void;
}

/**
 * A fresh folder below the project's `data/` for a benchmark's files. Prints what a flush to disk
 * costs there, without which no rate means anything.
 * @throws on a file system in memory, where a flush costs nothing.
 */
export function openScratch(): Scratch {
  const root = fileURLToPath(new URL('../../data/', import.meta.url));
  mkdirSync(root, { recursive: true });
  const fileSystem = fileSystemOf(root);
  if (IN_MEMORY.has(fileSystem)) {
    throw new Error(`data/ lies on ${fileSystem}: a benchmark of durable writes needs a disk`);
  }
  const folder = mkdtempSync(join(root, 'bench-'));
  console.log(`file system ${fileSystem}, fsync p50 ${flushMilliseconds(folder).toFixed(3)} ms`);
  return {
    folder,
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function fileSystemOf(path: string): string {
  const type = statfsSync(path).type;
  return FILE_SYSTEMS.get(type) ?? `0x${type.toString(16)}`;
}

/** Of a 4 KiB append and its fdatasync. */
function flushMilliseconds(folder: string): number {
  const block = Buffer.alloc(4096, 1);
  const file = openSync(join(folder, 'flush-probe'), 'w');
  const times: number[] = [];
  for (let i = 0; i < 300; i++) {
    writeSync(file, block);
    const start = performance.now();
    fdatasyncSync(file);
    times.push(performance.now() - start);
  }
  closeSync(file);
  return median(times);
}
