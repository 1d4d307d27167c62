import 'reflect-metadata';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { MaxCharacters } from '../../src/http/dto-checks.js';
import { DtoPipe } from '../../src/http/dto-pipe.js';
import { RejectionException } from '../../src/http/rejection-exception.js';

const MAX = 6;

class Noted {
  @MaxCharacters(MAX)
  readonly text!: string;
}

const pipe = new DtoPipe();

function passes(text: unknown): boolean {
  try {
    pipe.transform({ text }, { type: 'body', metatype: Noted });
    return true;
  } catch (error) {
    if (error instanceof RejectionException) return false;
    throw error;
  }
}

/** What other counts take for less, or for more, than one character. */
const PIECES = ['x', '\ufe0f', '\ufe0e', '\u200d', '\u0301', 'é', '𝕏', '👩', '🏽'];

describe('the length of a text', () => {
  it('is counted as JSON Schema counts it, whatever is in it', () => {
    const described = new Ajv2020().compile({ type: 'string', maxLength: MAX });
    const texts = fc.array(fc.constantFrom(...PIECES), { maxLength: 2 * MAX + 2 });
    fc.assert(
      fc.property(texts, (pieces) => {
        const text = pieces.join('');
        expect([text, passes(text)]).toEqual([text, described(text)]);
      }),
    );
  });

  it.each([
    ['x'.repeat(MAX), true],
    ['𝕏'.repeat(MAX), true],
    ['𝕏'.repeat(MAX + 1), false],
    // One each with a variation selector, twice as many characters.
    ['x\ufe0f'.repeat(MAX), false],
    ['x\ufe0f'.repeat(MAX / 2), true],
    [6, false],
    [undefined, false],
  ])('%j: %s', (text, isGood) => {
    expect(passes(text)).toBe(isGood);
  });
});
