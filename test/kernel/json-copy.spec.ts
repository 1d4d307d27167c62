import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { jsonCopy, type JsonCopyLimits } from '../../src/kernel/json-copy.js';
import { parseStrictJson } from '../../src/kernel/strict-json.js';
import { RUNS } from '../support/property-runs.js';

const LIMITS: JsonCopyLimits = { maxLength: 1024, maxDepth: 8, maxValues: 100 };
const AMPLE = { maxLength: 1_000_000, maxDepth: 64, maxValues: 100_000 };

function outcome(value: unknown, limits = LIMITS): unknown {
  const copy = jsonCopy(value, limits);
  return copy.ok ? copy.value : copy.error;
}

/** What programs hold: JSON, and much that is none. */
const anyValue = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withSparseArray: true,
  withTypedArray: true,
  withBoxedValues: true,
  withNullPrototype: true,
  values: [
    fc.string({ unit: 'binary' }),
    fc.string(),
    fc.double(),
    fc.boolean(),
    fc.constantFrom(null, undefined, '\ud83d', () => 1, Symbol('s')),
  ],
});

const written = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

describe('a copy of any value', () => {
  it('is what is written down and strictly read again, where there is one', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const copy = jsonCopy(value, AMPLE);
        if (!copy.ok) return;
        const read = parseStrictJson(written(copy.value), { maxBytes: Infinity, ...AMPLE });
        expect(read).toEqual({ ok: true, value: copy.value });
        expect(written(copy.value)).toEqual(written(value));
      }),
      RUNS,
    );
  });

  it('is there for all that JSON can say', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const copy = jsonCopy(value, AMPLE);
        const isStrict = parseStrictJson(written(value), { maxBytes: Infinity, ...AMPLE });
        expect(copy.ok).toBe(isStrict.ok);
        if (copy.ok && isStrict.ok) expect(copy.value).toEqual(isStrict.value);
      }),
      RUNS,
    );
  });

  it('counts values as the strict parser does', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 20 }), (value, maxValues) => {
        const limits = { ...AMPLE, maxValues };
        const copied = jsonCopy(value, limits).ok;
        expect(copied).toBe(parseStrictJson(written(value), { maxBytes: Infinity, ...limits }).ok);
      }),
      RUNS,
    );
  });

  it('shares nothing with it', () => {
    const value = { list: [{ text: 'said' }] };
    const copy = jsonCopy(value, LIMITS);
    value.list[0]!.text = 'changed';
    expect(copy).toEqual({ ok: true, value: { list: [{ text: 'said' }] } });
  });
});

describe('what a copy is refused for', () => {
  const circle: unknown[] = [];
  circle.push(circle);
  let doubled: unknown = 'x';
  for (let i = 0; i < 7; i++) doubled = [doubled, doubled];

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'json-no-value'],
    ['a function', { of: () => 1 }, 'json-no-value'],
    ['a symbol', [Symbol('x')], 'json-no-value'],
    ['a big integer', { data: 10n }, 'json-no-value'],
    ['no number', [NaN], 'json-no-value'],
    ['an infinity', -Infinity, 'json-no-value'],
    ['a gap in a list', [1, , 2], 'json-no-value'], // eslint-disable-line no-sparse-arrays -- it is
    ['a map', new Map([['a', 1]]), 'json-no-value'],
    ['a set', { of: new Set([1]) }, 'json-no-value'],
    ['a promise that nobody awaited', { of: Promise.resolve(1) }, 'json-no-value'],
    ['an error', new Error('x'), 'json-no-value'],
    ['a boxed text', Object('x'), 'json-no-value'],
    ['bytes', new Uint8Array([1]), 'json-no-value'],
    ['a date that is none', new Date(NaN), 'json-no-value'],
    ['a getter that throws', throwing(), 'json-no-value'],
    ['half an emoji', { text: '😀'.slice(0, 1) }, 'json-lone-surrogate'],
    ['half an emoji as a name', { ['😀'.slice(1)]: 1 }, 'json-lone-surrogate'],
    ['a prototype', JSON.parse('{"__proto__":1}'), 'json-forbidden-name'],
    ['a circle', circle, 'json-too-deep'],
    ['one list under many', doubled, 'json-too-many-values'],
    ['a long text', 'x'.repeat(1025), 'json-too-large'],
  ])('%s', (_, value, code) => {
    expect(outcome(value)).toBe(code);
  });
});

describe('what an object tells of itself', () => {
  it('is taken once', () => {
    let asked = 0;
    const object = {
      get n() {
        return asked++;
      },
    };
    expect(outcome(object)).toEqual({ n: 0 });
    expect(asked).toBe(1);
  });

  it('may be what to write for it, as dates and addresses do', () => {
    expect(outcome({ at: new Date(0), url: new URL('https://a.example/') })).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      url: 'https://a.example/',
    });
    expect(outcome({ toJSON: (name: string) => [name, new Date(0)] })).toEqual([
      '',
      '1970-01-01T00:00:00.000Z',
    ]);
    expect(outcome({ toJSON: () => undefined })).toBe('json-no-value');
  });

  it('are the members of its own, of a class or of none', () => {
    class Money {
      readonly currency = 'EUR';
      readonly cents = undefined;
    }
    expect(outcome(new Money())).toEqual({ currency: 'EUR' });
    expect(outcome(Object.assign(Object.create(null) as object, { a: -0 }))).toEqual({ a: 0 });
  });
});

function throwing(): object {
  return {
    get a(): never {
      throw new Error('secret');
    },
  };
}
