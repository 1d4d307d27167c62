import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { base64UrlLength } from '../../../../src/audit/verify/replay/forms.js';
import { decodeBase64Url } from '../../../../src/kernel/base64url.js';

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

describe('the length of base64url', () => {
  it.each([0, 1, 2, 3, 16, 32, 64, 1000])('is that of %i bytes', (size) => {
    expect(base64UrlLength(Buffer.alloc(size, 0xa7).toString('base64url'))).toBe(size);
  });

  it.each(['A', 'AAAAA', 'AB', 'AAB', 'AA==', 'AA\n', 'AAAA\n', 'A+AA', 'A/AA', ' AAA', 'äAAA'])(
    'is none of %j',
    (text) => {
      expect(base64UrlLength(text)).toBeUndefined();
    },
  );

  it('is what the decoder says, of every spelling', () => {
    const digits = fc.string({ unit: fc.constantFrom(...DIGITS, '=', '+', '\n'), maxLength: 12 });
    fc.assert(
      fc.property(digits, (text) => {
        expect(base64UrlLength(text)).toBe(decodeBase64Url(text)?.length);
      }),
    );
    for (const a of DIGITS) {
      for (const b of DIGITS) {
        for (const text of [a + b, a + b + 'A', `A${a}${b}`, `AA${a}${b}`]) {
          expect(base64UrlLength(text)).toBe(decodeBase64Url(text)?.length);
        }
      }
    }
  });
});
