import { describe, expect, it } from '@jest/globals';
import { lineBlocks, linesOf } from '../../../src/cli/audit/line-blocks.js';

async function* pieces(text: string, size: number): AsyncGenerator<Uint8Array, undefined> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) {
    yield await Promise.resolve(bytes.subarray(at, at + size));
  }
}

async function linesIn(text: string, size: number): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const block of lineBlocks(pieces(text, size))) {
    for (const [begin, end] of linesOf(block)) {
      lines.push(Buffer.from(block).toString('utf8', begin, end));
    }
  }
  return lines;
}

describe('lines', () => {
  const long = 'ü'.repeat(150_000);

  it.each([1, 2, 7, 100_000, 10_000_000])('come whole from pieces of %i bytes', async (size) => {
    const lines = size < 100 ? ['a', '', 'bü', 'c'] : ['a', long, '', long, 'b', long];
    expect(await linesIn(lines.map((line) => `${line}\n`).join(''), size)).toEqual(lines);
  });

  it('none from nothing', async () => {
    expect(await linesIn('', 1)).toEqual([]);
  });

  it.each(['a', 'a\nb', '\nb'])('%j is cut off', async (text) => {
    await expect(linesIn(text, 1)).rejects.toThrow('cut off');
  });
});
