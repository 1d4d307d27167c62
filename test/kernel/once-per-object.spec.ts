import { describe, expect, it } from '@jest/globals';
import { oncePerObject } from '../../src/kernel/once-per-object.js';

describe('oncePerObject', () => {
  it('works once for each object, and equal objects are different ones', () => {
    let works = 0;
    const count = oncePerObject((values: readonly number[]) => {
      works += 1;
      return values.length;
    });
    const one = [1, 2];
    expect([count(one), count(one), count([1, 2]), count([])]).toEqual([2, 2, 2, 0]);
    expect(works).toBe(3);
  });
});
