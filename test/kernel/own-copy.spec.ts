import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { deepFrozen } from '../../src/kernel/deep-frozen.js';
import { ownCopy } from '../../src/kernel/own-copy.js';
import { RUNS } from '../support/property-runs.js';

/** Every object and array in a value. */
function within(value: unknown): readonly object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(within)];
}

describe('a copy of one’s own', () => {
  it('is equal, and shares nothing with the original', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const copy = ownCopy(value);
        expect(copy).toEqual(value);
        const originals = new Set(within(value));
        expect(within(copy).filter((each) => originals.has(each))).toEqual([]);
      }),
      RUNS,
    );
  });

  it('has members of every name, and their prototypes from nobody', () => {
    const copy = ownCopy(JSON.parse('{"__proto__":{"isAdmin":true},"constructor":1}') as object);
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"isAdmin":true},"constructor":1}');
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect('isAdmin' in copy).toBe(false);
  });
});

describe('a frozen value', () => {
  it('is itself, and frozen in all that it holds', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(deepFrozen(value)).toBe(value);
        expect(within(value).every((each) => Object.isFrozen(each))).toBe(true);
      }),
      RUNS,
    );
  });

  it('may hold what was frozen before', () => {
    const manifest = deepFrozen({ limits: { max_concurrent: 1 } });
    const grant = deepFrozen({ manifest, outputModes: ['text/plain'] });
    expect(within(grant).every((each) => Object.isFrozen(each))).toBe(true);
  });
});
