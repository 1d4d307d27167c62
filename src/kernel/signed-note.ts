import { decodeBase64, encodeBase64 } from './base64.js';

/** c2sp.org/signed-note: a text that one or more keys signed. */
export interface SignedNote {
  /** What is signed: ends with a newline. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** One signature line, section "Signatures". */
export interface NoteSignature {
  /** Key name: not empty, without spaces and plus signs. */
  readonly name: string;
  /** Four bytes as 8 lower-case hexadecimal digits. */
  readonly keyId: string;
  /** What the key's algorithm made: for Ed25519 64 bytes. */
  readonly signature: Uint8Array;
}

/** Room for 16 post-quantum signatures and their base64; section "Format" asks for that many. */
const MAX_NOTE_BYTES = 256 * 1024;
const MAX_SIGNATURES = 100;
const KEY_ID_BYTES = 4;

const DASH = '\u2014 ';
/** ASCII control characters but newline (section "Format"), and what is no text at all. */
// eslint-disable-next-line no-control-regex -- they are what is looked for
const FORBIDDEN = /[\0-\x09\x0b-\x1f]|\p{Surrogate}/u;
const KEY_NAME = /^[^\p{White_Space}\p{Cc}\p{Surrogate}+]+$/u;

/** Section "Format": not empty, no Unicode spaces, no plus sign. */
export function isKeyName(name: string): boolean {
  return KEY_NAME.test(name);
}

/**
 * Reads a note strictly; `undefined` for whatever is none: no UTF-8, control characters, a line that
 * is no signature line, base64 in another than its canonical spelling, more than 256 KiB or 100
 * signatures. Nothing is verified by reading.
 */
export function parseNote(note: Uint8Array | string): SignedNote | undefined {
  if (note.length > MAX_NOTE_BYTES) return undefined;
  const whole = typeof note === 'string' ? note : decodeUtf8(note);
  if (whole === undefined || FORBIDDEN.test(whole) || !whole.endsWith('\n')) return undefined;
  // The last empty line separates: signature lines are never empty.
  const split = whole.lastIndexOf('\n\n');
  if (split < 0) return undefined;
  const signatures = parseSignatureLines(whole.slice(split + 2));
  return signatures && { text: whole.slice(0, split + 1), signatures };
}

/** One or more signature lines, each ending with a newline. */
function parseSignatureLines(lines: string): readonly NoteSignature[] | undefined {
  if (!lines.endsWith('\n')) return undefined;
  const each = lines.slice(0, -1).split('\n');
  if (each.length > MAX_SIGNATURES) return undefined;
  const signatures = each.map(parseSignatureLine);
  return signatures.every((signature) => signature !== undefined) ? signatures : undefined;
}

function parseSignatureLine(line: string): NoteSignature | undefined {
  if (!line.startsWith(DASH)) return undefined;
  const [name = '', base64 = '', ...rest] = line.slice(DASH.length).split(' ');
  const bytes = decodeBase64(base64);
  if (!isKeyName(name) || rest.length > 0 || bytes === undefined) return undefined;
  if (bytes.length <= KEY_ID_BYTES) return undefined;
  return {
    name,
    keyId: Buffer.from(bytes.subarray(0, KEY_ID_BYTES)).toString('hex'),
    signature: bytes.subarray(KEY_ID_BYTES),
  };
}

/** The note's text as it is served: what {@link parseNote} reads. */
export function formatNote({ text, signatures }: SignedNote): string {
  return `${text}\n${signatures.map(formatSignatureLine).join('')}`;
}

/**
 * One signature line with its line feed (C2SP signed-note, section "Format"): an em dash, the key's name,
 * and the base64 (RFC 4648 section 4) of the key id's four bytes and the signature's.
 *
 * @param signature `keyId` of 8 hexadecimal digits
 */
export function formatSignatureLine({ name, keyId, signature }: NoteSignature): string {
  const bytes = Buffer.concat([Buffer.from(keyId, 'hex'), signature]);
  return `${DASH}${name} ${encodeBase64(bytes)}\n`;
}

/** A byte order mark is a character like others: it is not dropped. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
