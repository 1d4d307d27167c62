import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeCursor, encodeCursor, type CursorScope } from '../../src/http/cursor.js';

const SCOPE: CursorScope = {
  list: 'interactions',
  filters: { status: 'active', party: 'a' },
  key: ['string', 'number'],
};

describe('a cursor', () => {
  it('gives back any key of its list', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer(), (text, number) => {
        const cursor = encodeCursor(SCOPE, [text, number]);
        expect(decodeCursor(SCOPE, cursor)).toEqual({ ok: true, value: [text, number] });
        expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
      }),
    );
  });

  it('does not depend on the order of the filters', () => {
    const cursor = encodeCursor(SCOPE, ['a', 1]);
    const same = { ...SCOPE, filters: { party: 'a', status: 'active' } };
    expect(decodeCursor(same, cursor).ok).toBe(true);
  });

  it.each<[string, CursorScope]>([
    ['another list', { ...SCOPE, list: 'agents' }],
    ['other filters', { ...SCOPE, filters: { status: 'active' } }],
    ['a key of other types', { ...SCOPE, key: ['number', 'string'] }],
    ['a longer key', { ...SCOPE, key: ['string', 'number', 'number'] }],
  ])('does not fit %s', (_name, scope) => {
    const refused = { ok: false, error: { code: 'cursor-invalid' } };
    expect(decodeCursor(scope, encodeCursor(SCOPE, ['a', 1]))).toEqual(refused);
  });

  it('is refused when it is anything else', () => {
    const forged = [null, {}, [], [2, 'x'], 'x', [[1]]].map((value) =>
      Buffer.from(JSON.stringify(value)).toString('base64url'),
    );
    const cursor = encodeCursor(SCOPE, ['a', 1]);
    for (const text of [
      '',
      'x',
      '====',
      `${cursor}=`,
      cursor.slice(0, -1),
      'A'.repeat(5000),
      ...forged,
    ]) {
      expect(decodeCursor(SCOPE, text)).toEqual({ ok: false, error: { code: 'cursor-invalid' } });
    }
  });
});
