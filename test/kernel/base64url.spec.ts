import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { decodeBase64Url, encodeBase64Url } from '../../src/kernel/base64url.js';

describe('base64url', () => {
  it.each([
    ['', ''],
    ['00', 'AA'],
    ['ff', '_w'],
    ['fb', '-w'],
    ['666f6f62', 'Zm9vYg'],
  ])('%s is written %s', (hex, text) => {
    expect(encodeBase64Url(Buffer.from(hex, 'hex'))).toBe(text);
    expect(Buffer.from(decodeBase64Url(text) ?? []).toString('hex')).toBe(hex);
  });

  it.each([
    ['padding', 'Zm9vYg=='],
    ['half the padding', 'Zm9vYg='],
    ['a plus sign', '+w'],
    ['a slash', '/w'],
    ['a trailing newline', 'Zm9vYg\n'],
    ['a leading space', ' Zm9vYg'],
    ['a space within', 'Zm9v Yg'],
    ['unused bits that are set', 'Zm9vYh'],
    ['one character too many', 'Zm9vY'],
    ['a character of no alphabet', 'Zm9v*g'],
    ['a NUL', 'Zm9v\u0000Yg'],
    ['a full-width letter', 'Ｚm9vYg'],
    ['padding alone', '='],
  ])('refuses %s', (_, text) => {
    expect(decodeBase64Url(text)).toBeUndefined();
  });

  it('encodes the part of a buffer that a view shows', () => {
    const view = new Uint8Array([1, 2, 255, 3]).subarray(2, 3);
    expect(encodeBase64Url(view)).toBe('_w');
  });

  it('law: bytes come back, and each value has one spelling', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        expect(Uint8Array.from(decodeBase64Url(encodeBase64Url(bytes)) ?? [])).toEqual(
          Uint8Array.from(bytes),
        );
      }),
    );
    const nearly = fc.string({ unit: fc.constantFrom(...'AQgw_-+/=\nZ9'.split('')), maxLength: 8 });
    fc.assert(
      fc.property(nearly, (text) => {
        const bytes = decodeBase64Url(text);
        if (bytes !== undefined) expect(encodeBase64Url(bytes)).toBe(text);
      }),
    );
  });
});
