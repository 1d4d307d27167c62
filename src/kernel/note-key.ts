import { createHash } from 'node:crypto';
import { decodeBase64, encodeBase64 } from './base64.js';
import { decodeBase64Url, encodeBase64Url } from './base64url.js';
import { parsePublicKey, verifyEd25519, type Ed25519Jwk } from './ed25519.js';
import { err, ok, type Result } from './result.js';
import { isKeyName, type NoteSignature, type SignedNote } from './signed-note.js';

/** Signature type identifier bytes, c2sp.org/signed-note section "Signature types". */
const NOTE_ALGORITHMS = {
  /** Plain signatures over the note's text. */
  ed25519: 0x01,
  /** Timestamped cosignatures of witnesses, c2sp.org/tlog-cosignature. */
  'cosignature/v1': 0x04,
} as const;

export type NoteAlgorithm = keyof typeof NOTE_ALGORITHMS;

/** A public key that verifies notes, and under which name. */
export interface NoteKey {
  readonly name: string;
  /** 8 lower-case hexadecimal digits, from name, algorithm and key. */
  readonly keyId: string;
  readonly algorithm: NoteAlgorithm;
  readonly jwk: Ed25519Jwk;
}

/** @throws {TypeError} for a name that is no key name */
export function noteKey(name: string, algorithm: NoteAlgorithm, jwk: Ed25519Jwk): NoteKey {
  if (!isKeyName(name)) throw new TypeError(`no key name: ${name}`);
  return { name, keyId: keyIdOf(name, encoded(algorithm, jwk)), algorithm, jwk };
}

/** Section "Signatures": SHA-256(key name ‖ 0x0A ‖ signature type ‖ public key)[:4]. */
function keyIdOf(name: string, key: Uint8Array): string {
  return createHash('sha256').update(`${name}\n`).update(key).digest('hex').slice(0, 8);
}

function encoded(algorithm: NoteAlgorithm, jwk: Ed25519Jwk): Uint8Array {
  return Buffer.from([NOTE_ALGORITHMS[algorithm], ...(decodeBase64Url(jwk.x) ?? [])]);
}

/** The key as one text, c2sp.org/signed-note section "Verifier keys": `<name>+<key id>+<base64>`. */
export function formatNoteKey({ name, keyId, algorithm, jwk }: NoteKey): string {
  return `${name}+${keyId}+${encodeBase64(encoded(algorithm, jwk))}`;
}

/**
 * Reads what {@link formatNoteKey} writes. Refuses with `key-malformed` (also an algorithm that is
 * neither Ed25519 nor cosignature/v1, or a key id of another key) and `key-unsafe-point`.
 */
export function parseNoteKey(text: string): Result<NoteKey, 'key-malformed' | 'key-unsafe-point'> {
  // The base64 may hold plus signs, a name never does.
  const [, name = '', keyId = '', base64 = ''] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/u.exec(text) ?? [];
  const bytes = decodeBase64(base64);
  if (!isKeyName(name) || bytes === undefined || keyIdOf(name, bytes) !== keyId) {
    return err('key-malformed');
  }
  const algorithm = algorithmOf(bytes[0]);
  if (algorithm === undefined || bytes.length !== 33) return err('key-malformed');
  const jwk = parsePublicKey(encodeBase64Url(bytes.subarray(1)));
  return jwk.ok ? ok({ name, keyId, algorithm, jwk: jwk.value }) : jwk;
}

function algorithmOf(byte: number | undefined): NoteAlgorithm | undefined {
  return (['ed25519', 'cosignature/v1'] as const).find((each) => NOTE_ALGORITHMS[each] === byte);
}

/**
 * What a note says of a key: `signed` when it carries at least one signature of this name and key id
 * and each of them verifies; `absent` when it carries none; `invalid` when one does not verify, and
 * then the whole note is to be rejected (section "Signatures").
 */
export type NoteVerdict =
  | { readonly verdict: 'signed'; readonly cosignedAt: number | null }
  | { readonly verdict: 'absent' | 'invalid' };

/** `cosignedAt` is the newest timestamp of a witness in seconds since the epoch, null for a log. */
export function verifyNote({ text, signatures }: SignedNote, key: NoteKey): NoteVerdict {
  const own = signatures.filter(({ name, keyId }) => name === key.name && keyId === key.keyId);
  if (own.length === 0) return { verdict: 'absent' };
  let cosignedAt: number | null = null;
  for (const { signature } of own) {
    const at = verifySignature(text, key, signature);
    if (at === undefined) return { verdict: 'invalid' };
    if (at !== null) cosignedAt = Math.max(at, cosignedAt ?? 0);
  }
  return { verdict: 'signed', cosignedAt };
}

/** Undefined unless it verifies; a witness's timestamp, or null for a key without. */
function verifySignature(
  text: string,
  key: NoteKey,
  signature: Uint8Array,
): number | null | undefined {
  if (key.algorithm === 'ed25519') {
    return verifyEd25519(key.jwk, text, encodeBase64Url(signature)) ? null : undefined;
  }
  const timestamp = timestampOf(signature);
  if (timestamp === undefined) return undefined;
  const message = cosignedMessage(text, timestamp);
  const ofMessage = encodeBase64Url(signature.subarray(TIMESTAMP_BYTES));
  return verifyEd25519(key.jwk, message, ofMessage) ? timestamp : undefined;
}

/** c2sp.org/tlog-cosignature section "Format": u64, big-endian, in front of the 64 bytes. */
const TIMESTAMP_BYTES = 8;

/** Moments beyond 2^53 seconds are none that a clock shows. */
function timestampOf(signature: Uint8Array): number | undefined {
  if (signature.length !== TIMESTAMP_BYTES + 64) return undefined;
  const seconds = Number(Buffer.from(signature).readBigUInt64BE());
  return Number.isSafeInteger(seconds) ? seconds : undefined;
}

/** c2sp.org/tlog-cosignature section "Ed25519 signed message". */
function cosignedMessage(text: string, timestamp: number): string {
  return `cosignature/v1\ntime ${String(timestamp)}\n${text}`;
}

/**
 * Signs a note's text as `key` says.
 *
 * @param sign b64u of the Ed25519 signature of a message's UTF-8 bytes, by the key's private half
 * @param timestamp of a cosignature: seconds since the epoch
 */
export function signNote(
  text: string,
  key: NoteKey,
  sign: (message: string) => string,
  timestamp = 0,
): NoteSignature {
  const { name, keyId, algorithm } = key;
  if (algorithm === 'ed25519') return { name, keyId, signature: bytesOf(sign(text)) };
  const time = Buffer.alloc(TIMESTAMP_BYTES);
  time.writeBigUInt64BE(BigInt(timestamp));
  const signature = Buffer.concat([time, bytesOf(sign(cosignedMessage(text, timestamp)))]);
  return { name, keyId, signature };
}

function bytesOf(signature: string): Uint8Array {
  return Buffer.from(signature, 'base64url');
}
