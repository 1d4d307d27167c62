import { expect, it } from '@jest/globals';
import { parseJson } from '../../src/cli/input.js';

const MIB = 1024 * 1024;

it.each([
  [256 * 1024, '256 KiB'],
  [MIB, '1 MiB'],
  [1.5 * MIB, '1536 KiB'],
  [4 * MIB, '4 MiB'],
])('a document of more than %i bytes is said to be larger than %s', (maxBytes, limit) => {
  const parsed = parseJson(Buffer.alloc(maxBytes + 1, ' '), {
    maxBytes,
    maxDepth: 64,
    maxValues: Infinity,
  });
  const error = { code: 'json-too-large', detail: `the document is larger than ${limit}` };
  expect(parsed).toEqual({ ok: false, error });
});
