import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isBeyond } from '../../src/http/json-size.js';

it('never says of a value that its JSON is longer than it is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(isBeyond(value, JSON.stringify(value).length)).toBe(false);
    }),
  );
});

it('says it of texts that are longer', () => {
  const value = {
    parts: [{ text: 'x'.repeat(600) }, { text: 'y'.repeat(500) }],
    nothing: undefined,
  };
  expect(isBeyond(value, 1000)).toBe(true);
  expect(isBeyond(value, 1200)).toBe(false);
});
