import type { Sealed } from '../../src/kernel/envelope.js';
import { expect, it } from '@jest/globals';
import { envelopeCharacters } from '../../src/event-store/envelope-characters.js';
import type { JsonObject } from '../../src/kernel/json.js';

const LONG = 'x'.repeat(5_000);

it.each<readonly [string, JsonObject, string | null]>([
  ['nothing', {}, null],
  ['a sealed text', {}, LONG],
  ['a text', { text: LONG }, null],
  ['texts in a list', { list: Array.from({ length: 500 }, () => 'a word or two') }, null],
  ['nested members', { a: { [LONG]: { b: [LONG, { c: LONG }] } } }, LONG],
  ['many small values', { list: Array.from({ length: 2_000 }, (_, n) => n % 2 === 0) }, null],
  ['numbers', { list: Array.from({ length: 2_000 }, (_, n) => n) }, null],
])('%s: about as many characters as the JSON has', (_, data, sealed) => {
  const written = JSON.stringify({ data, sealed }).length;
  const characters = envelopeCharacters({ data, sealed: sealed as Sealed | null });
  expect(characters).toBeGreaterThan(written / 2 - 20);
  expect(characters).toBeLessThan(written * 2 + 20);
});
