import { createCipheriv, createDecipheriv } from 'node:crypto';
import { decodeBase64Url, encodeBase64Url } from '../kernel/base64url.js';
import { canonicalJson } from '../kernel/canonical-json.js';
import type { Sealed } from '../kernel/envelope.js';
import type { JsonObject } from '../kernel/json.js';
import type { DataKey } from './key-store.js';

/** The one event that a sealed text belongs to: it opens nowhere else. */
export interface SealedPlace {
  readonly stream: string;
  /** Event id. */
  readonly id: string;
  /** Event type. */
  readonly type: string;
}

/**
 * A sealed text that its key does not open: another key, another event, or changed bytes. That is
 * a fault of the stores. A text whose key was destroyed is no such fault: it is never opened, since
 * the key store answers `erased` in place of a key.
 */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * b64u(nonce12 ‖ ciphertext ‖ tag16): AES-256-GCM over UTF-8(JCS(texts)) with JCS([stream, id,
 * type]) as additional data.
 *
 * @param text JCS(texts).
 * @param key 32 bytes.
 * @param nonce 12 bytes that were never used with this key before.
 */
export function seal(text: string, key: DataKey, nonce: Uint8Array, place: SealedPlace): Sealed {
  if (nonce.byteLength !== NONCE_BYTES) throw new TypeError('a nonce has 12 bytes');
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(additionalData(place));
  const body = cipher.update(text, 'utf8');
  cipher.final();
  return encodeBase64Url(Buffer.concat([nonce, body, cipher.getAuthTag()])) as Sealed;
}

/**
 * The texts that {@link seal} was given.
 * @throws {SealBroken} when key, place and bytes do not belong together.
 */
export function unseal(sealed: string, key: DataKey, place: SealedPlace): JsonObject {
  const bytes = decodeBase64Url(sealed);
  if (bytes === undefined || bytes.byteLength < NONCE_BYTES + TAG_BYTES) throw broken(place);
  const end = bytes.byteLength - TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(additionalData(place));
  decipher.setAuthTag(bytes.subarray(end));
  const text = decipher.update(bytes.subarray(NONCE_BYTES, end), undefined, 'utf8');
  try {
    decipher.final();
  } catch (cause) {
    throw broken(place, cause);
  }
  return JSON.parse(text) as JsonObject;
}

function additionalData({ stream, id, type }: SealedPlace): Buffer {
  return Buffer.from(canonicalJson([stream, id, type]));
}

function broken({ stream, id }: SealedPlace, cause?: unknown): SealBroken {
  return new SealBroken(`the sealed texts of event ${id} in ${stream} do not open`, { cause });
}
