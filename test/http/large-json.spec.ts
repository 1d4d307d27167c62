import { expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { jsonBytes, LargeJson } from '../../src/http/large-json.js';
import { aMoment } from '../support/eventually.js';

const MIB = 1024 * 1024;

it('writes what JSON.stringify writes, whatever the value is', async () => {
  const large = fc
    .tuple(fc.jsonValue(), fc.integer({ min: 0, max: 20_000 }), fc.string({ unit: 'binary' }))
    .map(([value, length, text]) => ({
      value,
      text: `${text}${'€'.repeat(length)}`,
      left: undefined,
      [text]: [value, undefined, { of: [value, { text: 'x'.repeat(length) }] }],
    }));
  const law = fc.asyncProperty(fc.array(large, { maxLength: 8 }), async (value) => {
    const bytes = await jsonBytes(value, Infinity);
    expect(bytes?.toString()).toBe(JSON.stringify(value));
  });
  await fc.assert(law, { numRuns: 30 });
});

it('stops where there is no room for more', async () => {
  const value = { texts: Array.from({ length: 100 }, () => 'x'.repeat(MIB / 10)) };
  const { length } = JSON.stringify(value);
  expect(await jsonBytes(value, length - 1)).toBeUndefined();
  expect(await jsonBytes(value, length)).toHaveLength(length);
});

it('lets others run while it writes', async () => {
  let turns = 0;
  let isDone = false;
  const turning = (async () => {
    while (!isDone) {
      await aMoment(0);
      turns++;
    }
  })();
  await jsonBytes({ values: Array.from({ length: 400_000 }, (_, n) => ({ n })) }, Infinity);
  isDone = true;
  await turning;
  expect(turns).toBeGreaterThan(3);
});

it('makes the text of one value once while somebody has it', async () => {
  const texts = new LargeJson();
  const value = { text: 'x'.repeat(MIB) };
  const first = await texts.bytesOf(value, Infinity);
  expect(await texts.bytesOf(value, Infinity)).toBe(first);
  expect(await texts.bytesOf(value, MIB)).toBeUndefined();
  expect(await texts.bytesOf({ ...value }, Infinity)).not.toBe(first);
});
