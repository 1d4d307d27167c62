import { randomBytes } from 'node:crypto';

const POOL_BYTES = 4_096;
let pool: Uint8Array = new Uint8Array();
let used = 0;

/**
 * Cryptographically strong random bytes for nonces and salts, several per event: asked of the
 * system a page at a time, which one by one costs more than what it is wanted for. Each byte is
 * given once. Not for keys, which would lie in the page as well.
 */
export function pooledRandomBytes(size: number): Uint8Array {
  if (size > POOL_BYTES) return randomBytes(size);
  if (used + size > pool.byteLength) {
    pool = new Uint8Array(randomBytes(POOL_BYTES));
    used = 0;
  }
  const bytes = pool.slice(used, used + size);
  used += size;
  return bytes;
}
