import { describe, expect, it } from '@jest/globals';
import { pointerTo } from '../../src/kernel/json.js';

describe('JSON pointers', () => {
  it.each([
    ['', 'a', '/a'],
    ['/a', 0, '/a/0'],
    ['', '', '/'],
    ['/a', 'b/c', '/a/b~1c'],
    ['/a', 'm~n', '/a/m~0n'],
    ['', '~1', '/~01'],
  ])('from %j to %j is %j (RFC 6901, section 3)', (parent, token, pointer) => {
    expect(pointerTo(parent, token)).toBe(pointer);
  });
});
