import { describe, expect, it } from '@jest/globals';
import {
  compileSchema,
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

  it('is told its patterns and references, each in its place', () => {
    const schema = {
      properties: {
        pattern: { pattern: '(a)\\1' },
        enum: { $ref: '#/properties/pattern' },
        const: { const: { pattern: '(', $ref: '#/enum/0' } },
      },
      patternProperties: { '(?=a)': {}, '^a/b': {}, '(': {} },
      anyOf: [{ $ref: '#/properties/const/const' }, { 'countersign:step': true }],
    };
    const told = schemaHazards(schema).map(({ pointer, detail }) => `${pointer} ${detail}`);
    expect(told.sort()).toEqual([
      '/anyOf/0/$ref refers to what is no schema',
      '/anyOf/1/countersign:step is not a keyword',
      '/patternProperties/( is no regular expression',
      '/patternProperties/(?=a) cannot be matched in linear time: it looks around itself',
      '/properties/pattern/pattern cannot be matched in linear time: it refers to a group of its own',
    ]);
    expect(() => compileSchema(schema)).toThrow();
  });
});
