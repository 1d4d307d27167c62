import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { sseMessages } from '../../../src/invocations/backends/sse-messages.js';
import { RUNS } from '../../support/property-runs.js';

async function* inPieces(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let start = 0;
  for (const size of sizes) {
    yield await Promise.resolve(bytes.subarray(start, start + size));
    start += size;
  }
  yield bytes.subarray(start);
}

async function messages(stream: string, sizes: readonly number[] = []): Promise<string[]> {
  const found: string[] = [];
  for await (const data of sseMessages(inPieces(Buffer.from(stream), sizes))) {
    found.push(data.toString());
  }
  return found;
}

describe('the messages of an event stream', () => {
  it.each<[string, string, readonly string[]]>([
    ['one', 'data: {"a":1}\n\n', ['{"a":1}']],
    ['named as what they are', 'event: message\ndata: 1\n\nevent:\ndata: 2\n\n', ['1', '2']],
    ['without the blank', 'data:1\n\n', ['1']],
    ['over several lines', 'data: [1,\ndata: 2]\n\n', ['[1,\n2]']],
    ['with every end of a line', 'data: 1\r\n\r\ndata: 2\r\rdata: 3\n\n', ['1', '2', '3']],
    ['after a mark', '\ufeffdata: 1\n\n', ['1']],
    ['beside all else', ': hi\nid: 7\nretry: 1\nnonsense\ndata: 1\n\n', ['1']],
    ['but no others', 'event: ping\ndata: 1\n\ndata: 2\n\n', ['2']],
    ['but none that is empty', 'data:\n\nid: 1\n\n\n', []],
    ['but none that did not come whole', 'data: 1\n\ndata: 2\n', ['1']],
    ['of more than ASCII', 'data: "für 😀"\n\n', ['"für 😀"']],
  ])('are told: %s', async (_, stream, expected) => {
    expect(await messages(stream)).toEqual(expected);
  });

  it('are the same in whichever pieces they come', async () => {
    const text = fc.constantFrom('data: "ü😀"', 'data: 1', 'event: x', 'event: message', ': c', '');
    const lines = fc.array(fc.tuple(text, fc.constantFrom('\n', '\r', '\r\n')));
    await fc.assert(
      fc.asyncProperty(lines, fc.array(fc.integer({ min: 0, max: 5 })), async (all, sizes) => {
        const stream = all.map(([line, end]) => line + end).join('');
        expect(await messages(stream, sizes)).toEqual(await messages(stream));
      }),
      RUNS,
    );
  });

  it('are handed on byte by byte, whether they are UTF-8 or not', async () => {
    const stream = Buffer.concat([
      Buffer.from('data: "'),
      Buffer.from([0xff]),
      Buffer.from('"\n\n'),
    ]);
    for await (const data of sseMessages(inPieces(stream, []))) {
      expect([...data]).toEqual([0x22, 0xff, 0x22]);
    }
  });
});
