import { readFileSync } from 'node:fs';

const FILE_HEADER = 32;
const FRAME_HEADER = 24;

/**
 * Commits in a write-ahead log since it was begun anew
 * (https://www.sqlite.org/fileformat2.html#the_write_ahead_log): the last frame of a transaction
 * holds the size of the database after it, every other frame a zero.
 */
export function commitsInLog(databasePath: string): number {
  const log = readFileSync(`${databasePath}-wal`);
  if (log.length < FILE_HEADER) return 0;
  const frame = FRAME_HEADER + log.readUInt32BE(8);
  const salts = log.subarray(16, 24);
  let commits = 0;
  for (let at = FILE_HEADER; at + frame <= log.length; at += frame) {
    // Frames of the log's earlier life follow after the last one of this.
    if (!log.subarray(at + 8, at + 16).equals(salts)) break;
    if (log.readUInt32BE(at + 4) !== 0) commits++;
  }
  return commits;
}
