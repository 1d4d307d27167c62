import { describe, expect, it } from '@jest/globals';
import { Encoder, VECTOR_SIZE } from '../../../../src/a2a/routing/text/encoder.js';
import { readEncoderWeights } from '../../../../src/a2a/routing/text/encoder-weights.js';
import { Tokenizer } from '../../../../src/a2a/routing/text/tokenizer.js';

const weights = readEncoderWeights();
const encoder = new Encoder(weights);

const cosine = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, i) => sum + value * b[i]!, 0);
const likeness = (a: string, b: string): number => cosine(encoder.encode(a), encoder.encode(b));

describe('the encoder', () => {
  it('cuts texts as its reference implementation documents', () => {
    expect(new Tokenizer(weights.vocabulary).encode('Hello, how are you?')).toEqual([
      341, 4125, 8, 140, 31, 19, 54,
    ]);
  });

  it('puts texts of one meaning near each other', () => {
    const near = likeness('i forgot my password', 'i cannot remember my login code');
    expect(near).toBeGreaterThan(0.5);
    expect(near).toBeGreaterThan(likeness('i forgot my password', 'is it raining in rome') + 0.3);
  });

  it('gives vectors of unit length', () => {
    const vector = encoder.encode('show me the invoice');
    expect(vector).toHaveLength(VECTOR_SIZE);
    expect(cosine(vector, vector)).toBeCloseTo(1, 5);
  });

  it('gives the same vector whatever it encoded before', () => {
    const before = encoder.encode('show me the invoice');
    encoder.encode('something much longer '.repeat(20));
    expect(encoder.encode('show me the invoice')).toEqual(before);
  });

  it('has zeros for nothing', () => {
    expect(Math.max(...encoder.encode('').map(Math.abs))).toBe(0);
  });

  it.each(['\ud800', '\u0000', '😀'.repeat(5), 'счёт за март', '猫'.repeat(50), ' '.repeat(50)])(
    'has finite numbers for %j',
    (text) => {
      expect(encoder.encode(text).every(Number.isFinite)).toBe(true);
    },
  );

  it('reads no more than the beginning of a long text', () => {
    const long = 'word '.repeat(400);
    const began = performance.now();
    const vector = encoder.encode(long.repeat(1_000));
    expect(performance.now() - began).toBeLessThan(3_000);
    expect(vector).toEqual(encoder.encode(long));
  });
});
