import { decodeBase64, encodeBase64 } from './base64.js';
import { HASH_BYTES } from './merkle.js';
import { parseNote, type SignedNote } from './signed-note.js';

/** c2sp.org/tlog-checkpoint section "Note text": what a log says of its tree. */
export interface Checkpoint {
  /** Identifies the log: its public base URL without the scheme, and `/log`. */
  readonly origin: string;
  /** Number of leaves. */
  readonly size: number;
  /** 32 bytes. */
  readonly rootHash: Uint8Array;
}

/**
 * The log's name, as every checkpoint says it: the public base URL without its scheme, and `/log`.
 * Another address is another log.
 */
export function logOrigin(publicBaseUrl: string): string {
  return `${publicBaseUrl.replace(/^https?:\/\//, '')}/log`;
}

/** The text that is signed; this log adds no extension lines. */
export function formatCheckpoint({ origin, size, rootHash }: Checkpoint): string {
  return `${origin}\n${String(size)}\n${encodeBase64(rootHash)}\n`;
}

/**
 * Reads the text of a note strictly: at least three lines, none of them empty, each ending with a
 * newline, sizes without leading zeroes, base64 in its canonical spelling. Extension lines are
 * allowed and say nothing here; they are signed with the rest. `undefined` for whatever is no
 * checkpoint, or of a tree larger than 2^53 - 1.
 */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  if (!text.endsWith('\n')) return undefined;
  const lines = text.slice(0, -1).split('\n');
  const [origin = '', size = '', root = ''] = lines;
  if (lines.includes('') || !/^(?:0|[1-9]\d*)$/.test(size)) return undefined;
  const rootHash = decodeBase64(root);
  if (rootHash?.length !== HASH_BYTES || !Number.isSafeInteger(Number(size))) return undefined;
  return { origin, size: Number(size), rootHash };
}

/** A checkpoint with its signatures, none of them verified. */
export interface SignedCheckpoint {
  readonly note: SignedNote;
  readonly checkpoint: Checkpoint;
}

/** `undefined` unless it is a signed note whose text is a checkpoint. */
export function parseSignedCheckpoint(note: Uint8Array | string): SignedCheckpoint | undefined {
  const parsed = parseNote(note);
  const checkpoint = parsed && parseCheckpoint(parsed.text);
  return parsed && checkpoint && { note: parsed, checkpoint };
}
