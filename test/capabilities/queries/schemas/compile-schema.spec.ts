import { describe, expect, it } from '@jest/globals';
import {
  compileSchema,
  compileValidator,
  schemaHazards,
} from '../../../../src/capabilities/queries/schemas/compile-schema.js';
import type { Json, JsonObject } from '../../../../src/kernel/json.js';

function inTime<T>(work: () => T): T {
  const begun = performance.now();
  const result = work();
  expect(performance.now() - begun).toBeLessThan(3_000);
  return result;
}

/** An object in an object in an object … */
function nested(depth: number): Json {
  let value: Json = {};
  for (let level = 0; level < depth; level++) value = { a: value };
  return value;
}

/** A schema that tests a value 2^levels times. */
function multiplying(levels: number): JsonObject {
  let schema: JsonObject = { type: 'integer' };
  for (let level = 0; level < levels; level++) schema = { anyOf: [{ not: schema }, schema] };
  return { items: schema };
}

function copies<T>(count: number, value: T): T[] {
  return Array.from({ length: count }, () => value);
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function words(count: number): Json[] {
  return numbers(count).map((each) => `w${each}`);
}

function named(count: number): JsonObject {
  return Object.fromEntries(numbers(count).map((each) => [`m${each}`, { type: 'null' }]));
}

describe('a compiled schema', () => {
  it('judges values: references, patterns, formats', () => {
    const fits = compileSchema({
      type: 'object',
      properties: {
        id: { $ref: '#/$defs/id' },
        at: { type: 'string', format: 'date-time' },
        children: { type: 'array', items: { $ref: '#' } },
      },
      patternProperties: { '^x-': { type: 'number' } },
      additionalProperties: false,
      $defs: { id: { type: 'string', pattern: '^INV-[0-9]+(-[a-z]+)*$' } },
    });
    expect(fits({ id: 'INV-1-a-b', children: [{ id: 'INV-2' }], 'x-1': 1 })).toBe(true);
    expect(fits({ id: 'INV-' })).toBe(false);
    expect(fits({ children: [{ id: 'x' }] })).toBe(false);
    expect(fits({ 'x-1': 'a' })).toBe(false);
    expect(fits({ y: 1 })).toBe(false);
    expect(fits({ at: 'today' })).toBe(false);
  });

  it('keeps patterns apart', () => {
    const fits = compileSchema({
      properties: { a: { type: 'string', pattern: '^a$' }, b: { type: 'string', pattern: '^b$' } },
    });
    expect(fits({ a: 'a', b: 'b' })).toBe(true);
    expect(fits({ a: 'a', b: 'a' })).toBe(false);
  });

  it.each<JsonObject>([{ tpye: 'string' }, { format: 'datum' }, { $ref: 'https://a.example/b' }])(
    'knows every keyword, format and reference: not %j',
    (schema) => {
      expect(() => compileSchema(schema)).toThrow();
    },
  );
});

describe('a hostile schema', () => {
  it('of references that double at each step is given up on', () => {
    const $defs: Record<string, JsonObject> = { d0: { type: 'number' } };
    for (let level = 1; level <= 60; level++) {
      const $ref = `#/$defs/d${level - 1}`;
      $defs[`d${level}`] = { allOf: [{ $ref }, { $ref }] };
    }
    const fits = inTime(() => compileSchema({ $ref: '#/$defs/d60', $defs }));
    expect(inTime(() => fits(1))).toBe(false);
    const fitsBelow = compileSchema({ $ref: '#/$defs/d5', $defs });
    expect(fitsBelow(1)).toBe(true);
  });

  it('of a recursion that doubles with the depth of a value, too', () => {
    const again = { properties: { a: { $ref: '#' } } };
    const fits = compileSchema({ allOf: [again, again] });
    expect(inTime(() => fits(nested(60)))).toBe(false);
    expect(fits(nested(5))).toBe(true);
    const dynamic = { properties: { a: { $dynamicRef: '#meta' } } };
    const fitsToo = compileSchema({ $dynamicAnchor: 'meta', allOf: [dynamic, dynamic] });
    expect(inTime(() => fitsToo(nested(60)))).toBe(false);
  });

  it('that refers to itself in place fits nothing', () => {
    expect(inTime(() => compileSchema({ anyOf: [{ $ref: '#' }, { $ref: '#' }] })(1))).toBe(false);
  });

  it('with a pattern that backtracks is matched in linear time', () => {
    const fits = compileSchema({ type: 'string', pattern: '^(a+)+$' });
    expect(inTime(() => fits(`${'a'.repeat(40)}!`))).toBe(false);
    expect(fits('aaa')).toBe(true);
  });

  it('is shown no document of many values', () => {
    const fits = compileSchema({ type: 'array', uniqueItems: true });
    expect(fits([1, 2])).toBe(true);
    expect(inTime(() => fits(Array.from({ length: 4_000 }, (_, index) => index)))).toBe(true);
    expect(fits(Array.from({ length: 5_000 }, (_, index) => index))).toBe(false);
  });

  it.each<[string, JsonObject, Json]>([
    ['alternatives that multiply', multiplying(10), numbers(4_900)],
    [
      'alternatives that fail by their type',
      { items: { not: { anyOf: copies(300, { type: 'null' }) } } },
      numbers(4_900),
    ],
    ['long lists of values', { items: { not: { enum: words(300) } } }, numbers(4_900)],
    [
      'members that are looked for',
      { items: { properties: named(300) } },
      Array.from({ length: 4_900 }, () => ({})),
    ],
    ['lengths of long texts', { anyOf: copies(50, { minLength: 1e7 }) }, 'a'.repeat(4_000_000)],
    [
      'formats of long texts',
      { anyOf: copies(20, { format: 'byte' }) },
      `${'a'.repeat(4_000_000)}!`,
    ],
    [
      'items looked for again and again',
      { allOf: copies(300, { contains: { const: 1 }, maxContains: 5 }) },
      numbers(4_900),
    ],
    [
      'items told apart again and again',
      { allOf: copies(300, { uniqueItems: true }) },
      numbers(4_900),
    ],
    [
      'members counted again and again',
      { allOf: copies(300, { minProperties: 1 }) },
      Object.fromEntries(numbers(4_900).map((each) => [`m${each}`, each])),
    ],
  ])('of %s is given up on', (_, schema, value) => {
    const validate = compileValidator(schema);
    expect(inTime(() => validate(value))).toBe('work');
  });

  it.each<[string, JsonObject, Json]>([
    ['alternatives', multiplying(3), numbers(4_900)],
    ['lists of values', { items: { enum: words(90).concat(numbers(100)) } }, copies(4_900, 99)],
    ['a long text', { minLength: 1, maxLength: 5e6, pattern: '^a' }, 'a'.repeat(4_000_000)],
    ['many items', { uniqueItems: true, items: { type: 'integer' } }, numbers(4_900)],
  ])('is not one of %s that anybody may write', (_, schema, value) => {
    expect(compileValidator(schema)(value)).toBeUndefined();
  });

  it('tells items apart by what they are', () => {
    const fits = compileSchema({ uniqueItems: true });
    expect(fits([1, '1', [1], { a: 1 }, null, 'null', true, 'true', {}, []])).toBe(true);
    expect(
      fits([
        { a: 1, b: [2] },
        { b: [2], a: 1 },
      ]),
    ).toBe(false);
    expect(compileSchema({ uniqueItems: false })([1, 1])).toBe(true);
    expect(compileSchema({ uniqueItems: true })('no array')).toBe(true);
  });

  it('is told its patterns and references, each in its place', () => {
    const schema = {
      properties: {
        pattern: { pattern: '(a)\\1' },
        enum: { $ref: '#/properties/pattern' },
        const: { const: { pattern: '(', $ref: '#/enum/0' } },
      },
      patternProperties: { '(?=a)': {}, '^a/b': {}, '(': {} },
      anyOf: [{ $ref: '#/properties/const/const' }, { 'countersign:costs': {} }],
    };
    const told = schemaHazards(schema).map(({ pointer, detail }) => `${pointer} ${detail}`);
    expect(told.sort()).toEqual([
      '/anyOf/0/$ref refers to what is no schema',
      '/anyOf/1/countersign:costs is not a keyword',
      '/patternProperties/( is no regular expression',
      '/patternProperties/(?=a) cannot be matched in linear time: it looks around itself',
      '/properties/pattern/pattern cannot be matched in linear time: it refers to a group of its own',
    ]);
    expect(() => compileSchema(schema)).toThrow();
  });
});
