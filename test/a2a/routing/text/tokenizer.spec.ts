import { describe, expect, it } from '@jest/globals';
import { Tokenizer, type Piece } from '../../../../src/a2a/routing/text/tokenizer.js';

const reserved: Piece[] = ['�', '<s>', '</s>', 'x1', 'x2', 'x3'].map((text) => [text, 0]);
const tokenizer = (...pieces: Piece[]) => new Tokenizer([...reserved, ...pieces]);
const SPACE = '▁';

describe('segmentation', () => {
  it('takes the pieces whose scores sum up best', () => {
    const cut = tokenizer([SPACE, -1], ['a', -3], ['b', -3], ['ab', -5], ['abb', -20]);
    // ▁ ab b, since ab (-5) is better than a b (-6).
    expect(cut.encode('abb')).toEqual([6, 9, 8]);
  });

  it('takes the later way when two are as good', () => {
    const cut = tokenizer([SPACE, -1], ['a', -3], ['b', -3], ['ab', -6]);
    // Starts of pieces are tried from left to right: the piece that starts last wins.
    expect(cut.encode('ab')).toEqual([6, 7, 8]);
  });

  it('makes one of unknowns in a row', () => {
    const cut = tokenizer([SPACE, -1], ['a', -3]);
    expect(cut.encode('a猫犬a')).toEqual([6, 7, 0, 7]);
  });

  it('goes by code points, not by halves of them', () => {
    const cut = tokenizer([SPACE, -1], ['😀', -2]);
    expect(cut.encode('😀😀')).toEqual([6, 7, 7]);
  });

  it('normalizes as the vocabulary is', () => {
    const cut = tokenizer([SPACE, -1], ['fi', -2], ['f', -5], ['i', -5]);
    expect(cut.encode('ﬁ')).toEqual([6, 7]);
  });

  it('finds no control symbol in a text', () => {
    const cut = tokenizer([SPACE, -1], ['<', -2], ['s', -2], ['>', -2]);
    expect(cut.encode('<s>')).toEqual([6, 7, 8, 9]);
  });

  it('has nothing for nothing', () => {
    expect(tokenizer([SPACE, -1]).encode('')).toEqual([]);
  });
});
