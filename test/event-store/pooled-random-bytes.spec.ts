import { describe, expect, it } from '@jest/globals';
import { pooledRandomBytes } from '../../src/event-store/pooled-random-bytes.js';

describe('random bytes out of a pool', () => {
  it('have the length that was asked for, within the pool, at its end and beyond it', () => {
    const random = pooledRandomBytes(32);
    expect([16, 12, 12, 32, 33, 1, 0].map((size) => random(size).length)).toEqual([
      16, 12, 12, 32, 33, 1, 0,
    ]);
  });

  it('are handed out once, and stay as they were handed out', () => {
    const random = pooledRandomBytes(64);
    const drawn = Array.from({ length: 1000 }, () => random(16));
    const texts = drawn.map((bytes) => Buffer.from(bytes).toString('hex'));
    expect(new Set(texts).size).toBe(1000);
    expect(texts).not.toContain('00'.repeat(16));
    expect(drawn.every(({ buffer }) => buffer.byteLength === 16)).toBe(true);
  });
});
