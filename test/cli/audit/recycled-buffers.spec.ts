import { describe, expect, it } from '@jest/globals';
import { RecycledBuffers } from '../../../src/cli/audit/recycled-buffers.js';

describe('buffers that go around', () => {
  it('are given out again, large enough, and never to two', () => {
    const buffers = new RecycledBuffers();
    const first = buffers.take(20_000);
    const second = buffers.take(20_000);
    expect(second).not.toBe(first);
    expect(first.byteLength).toBeGreaterThanOrEqual(20_000);
    buffers.give(first);
    expect(buffers.take(30_000)).toBe(first);
    expect(buffers.take(30_000)).not.toBe(first);
  });

  it('make way for larger ones, and very large ones are not kept', () => {
    const buffers = new RecycledBuffers();
    const small = buffers.take(1);
    buffers.give(small);
    const large = buffers.take(3 * 1024 * 1024);
    expect(large.byteLength).toBeGreaterThanOrEqual(3 * 1024 * 1024);
    expect(buffers.take(1)).not.toBe(small);
    buffers.give(large);
    expect(buffers.take(1)).not.toBe(large);
  });
});
