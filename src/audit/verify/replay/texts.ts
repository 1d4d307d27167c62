import { createDecipheriv } from 'node:crypto';
import { decodeBase64Url } from '../../../kernel/base64url.js';
import { canonicalJson } from '../../../kernel/canonical-json.js';
import type { EventEnvelope } from '../../../kernel/envelope.js';
import { err, ok, type Result } from '../../../kernel/result.js';
import { failure, gap, type Flaw } from '../check-result.js';
import type { PlacedEvent } from './entry.js';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * The texts of an event that has some: unsealed with the key where there is one, else as they were
 * given. The flaw says that there are none, or that the key and the sealed bytes do not fit.
 */
export function textsOf(
  { envelope, texts }: PlacedEvent,
  key: Uint8Array | undefined,
): Result<unknown, Flaw> {
  if (key !== undefined) {
    const opened = unseal(envelope, key);
    return opened === undefined ? err(failure('seal-broken')) : ok(opened);
  }
  return texts === undefined || texts === null ? err(gap('texts-missing')) : ok(texts);
}

/** AES-256-GCM, b64u(nonce12 ‖ ciphertext ‖ tag16), over JCS(texts) with JCS([stream, id, type]). */
function unseal({ sealed, stream, id, type }: EventEnvelope, key: Uint8Array): unknown {
  const bytes = sealed === null ? undefined : decodeBase64Url(sealed);
  if (bytes === undefined || bytes.length < NONCE_BYTES + TAG_BYTES || key.length !== 32) {
    return undefined;
  }
  const end = bytes.length - TAG_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(canonicalJson([stream, id, type])));
  decipher.setAuthTag(bytes.subarray(end));
  try {
    const text = decipher.update(bytes.subarray(NONCE_BYTES, end), undefined, 'utf8');
    decipher.final();
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
