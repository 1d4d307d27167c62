import { randomBytes } from 'node:crypto';
import type { RandomBytes } from './command-execution.js';

/**
 * Random bytes of small sizes, out of larger draws: a call of the system's generator costs far more
 * than the dozen bytes of a nonce or a salt. No byte is handed out twice, and none is kept here once
 * it is handed out; what must stay secret for long (keys) is drawn by itself.
 *
 * @param poolSize in bytes; larger requests are drawn by themselves.
 */
export function pooledRandomBytes(poolSize: number): RandomBytes {
  let pool = Buffer.alloc(0);
  return (size) => {
    if (size > poolSize) return randomBytes(size);
    if (size > pool.length) pool = randomBytes(poolSize);
    const drawn = new Uint8Array(pool.subarray(0, size));
    pool.fill(0, 0, size);
    pool = pool.subarray(size);
    return drawn;
  };
}
