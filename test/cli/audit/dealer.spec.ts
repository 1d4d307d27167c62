import { describe, expect, it } from '@jest/globals';
import { Dealer } from '../../../src/cli/audit/dealer.js';
import { guessStream } from '../../../src/cli/audit/guess-stream.js';
import { shardOf } from '../../../src/cli/audit/shard-of.js';

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
