import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Whether the order of system calls can be watched on this machine. */
export const CAN_TRACE = spawnSync('strace', ['-e', 'trace=none', 'true']).status === 0;

/** The command under which a program is watched; its calls go to files that begin with `trace`. */
export function tracer(trace: string): string[] {
  const calls = 'trace=write,pwrite64,pwritev,fsync,fdatasync,ftruncate';
  return ['strace', '-ff', '-y', '-s', '64', '-e', calls, '-o', trace];
}

export type TracedCall = 'log-written' | 'log-flushed' | 'acknowledged';

/**
 * What a traced process did with its write-ahead log and its standard output, in order. The driver
 * works on the thread that also writes the acknowledgements.
 */
export function tracedCalls(trace: string, databasePath: string): TracedCall[] {
  const threads = readdirSync(dirname(trace))
    .filter((file) => file.startsWith(basename(trace)))
    .map((file) => readFileSync(join(dirname(trace), file), 'utf8').split('\n'));
  const log = `<${databasePath}-wal>`;
  const calls = threads.map((lines) =>
    lines.flatMap((line): TracedCall[] => {
      if (/^write\(1</.test(line)) return ['acknowledged'];
      if (!line.includes(log)) return [];
      if (/^pwrite(64|v)\(/.test(line)) return ['log-written'];
      return /^f(data)?sync\(.* = 0$/.test(line) ? ['log-flushed'] : [];
    }),
  );
  const main = calls.filter((thread) => thread.includes('acknowledged'));
  if (main.length !== 1 || main[0] === undefined) throw new Error('one thread acknowledges');
  return main[0];
}
