import { describe, expect, it } from '@jest/globals';
import { lineBlocks, linesOf } from '../../../src/cli/audit/line-blocks.js';
import { guessStream, shardOf } from '../../../src/cli/audit/routing.js';
import { Dealer } from '../../../src/cli/audit/sharded-lines.js';

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

describe('which shard gets a line', () => {
  const line = (stream: string) =>
    `{"id":"\\"subject\\":\\"agent-x","subject":"${stream}","data":{}}\n`;
  const guess = (text: string) => {
    const bytes = Buffer.from(text);
    return guessStream(bytes, 0, bytes.length);
  };

  it('is told by its stream, wherever else the word stands', () => {
    expect(guess(line('interaction-1'))).toBe('interaction-1');
    expect(guess('{"id":1}\n')).toBeUndefined();
  });

  it('one that judges it; all get what everybody needs; none what is beyond the end', () => {
    const streams = [
      'platform-keys',
      'agent-a',
      'interaction-1',
      'interaction-2',
      'card-a',
      'card-b',
    ];
    const block = Buffer.from(streams.map(line).join(''));
    const { shards, lines } = new Dealer(3).deal(block, 10, 5);
    expect(lines).toBe(5);
    const places = (stream: string) => {
      const index = 10 + streams.indexOf(stream);
      return shards.flatMap(({ indices }, shard) => (indices.includes(index) ? [shard] : []));
    };
    expect(places('platform-keys')).toEqual([0, 1, 2]);
    expect(places('agent-a')).toEqual([0, 1, 2]);
    for (const stream of ['interaction-1', 'interaction-2', 'card-a']) {
      expect(places(stream)).toEqual([shardOf(stream, 3)]);
    }
    expect(places('card-b')).toEqual([]);
  });

  it('spreads interactions evenly', () => {
    const counts = [0, 0, 0, 0];
    for (let n = 0; n < 4000; n++) {
      const shard = shardOf(`interaction-${crypto.randomUUID()}`, 4);
      counts[shard] = (counts[shard] ?? 0) + 1;
    }
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(200);
  });
});
