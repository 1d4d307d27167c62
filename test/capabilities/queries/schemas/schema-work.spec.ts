import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import {
  compileSchema,
  compileValidator,
  type Misfit,
} from '../../../../src/capabilities/queries/schemas/compile-schema.js';
import type { Json, JsonObject } from '../../../../src/kernel/json.js';
import { RUNS } from '../../../support/property-runs.js';

/** What a million steps may take, on any machine that is busy with other things. */
const MAX_MS = 5_000;

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function copies(count: number, value: Json): Json[] {
  return numbers(count).map(() => value);
}

const MEMBERS = Object.fromEntries(numbers(4_900).map((each) => [`k${each}`, 1]));

function inTime(schema: JsonObject, value: Json): Misfit | undefined {
  const validate = compileValidator(schema);
  const begun = performance.now();
  const misfit = validate(value);
  expect(performance.now() - begun).toBeLessThan(MAX_MS);
  return misfit;
}

/** Chains of references, each of which says which members it looked at: all of them. */
function chains(width: number): JsonObject {
  const length = 100;
  const links = numbers(length).map((each): [string, Json] => {
    const next = each + 1 < length ? `#/$defs/r${each + 1}` : '#/$defs/leaf';
    return [`r${each}`, { allOf: [{ $ref: '#/$defs/cheap' }, { $ref: next }] }];
  });
  return {
    $defs: {
      leaf: { patternProperties: { '': true } },
      cheap: { anyOf: [{ properties: { a: true } }, { properties: { b: true } }] },
      ...Object.fromEntries(links),
    },
    allOf: copies(width, { $ref: '#/$defs/r0' }),
  };
}

describe('what a schema looked at', () => {
  it.each([5, 40, 80])('is noted where nothing asks for it by none of %i chains', (width) => {
    expect(inTime(chains(width), MEMBERS)).toBeUndefined();
  });

  it.each<[string, JsonObject]>([
    ['in the schema', { unevaluatedProperties: false }],
    ['of items', { unevaluatedItems: false }],
    ['in a schema within it', { properties: { a: { items: { unevaluatedProperties: true } } } }],
    ['in a definition', { definitions: { a: { anyOf: [{ unevaluatedItems: true }] } } }],
  ])('costs as many steps as there are members, if anything asks for it %s', (_, more) => {
    expect(inTime({ ...chains(40), ...more }, MEMBERS)).toBe('work');
  });

  it('costs as many steps as there are names, too', () => {
    const names = Object.fromEntries(numbers(1_000).map((each) => [`n${each}`, true]));
    const { $defs, ...more } = chains(40);
    const leaf = { anyOf: [{ properties: names }, { properties: { b: true } }] };
    const schema = { ...more, $defs: { ...($defs as JsonObject), leaf } };
    expect(inTime(schema, {})).toBeUndefined();
    expect(inTime({ ...schema, unevaluatedItems: false }, {})).toBe('work');
  });

  it('is asked for wherever it may stand', () => {
    const looked = { anyOf: [{ $ref: '#/$defs/a' }, { required: ['c'] }] };
    const $defs = { a: { properties: { a: true } } };
    for (const schema of [
      { $defs, ...looked, unevaluatedProperties: false },
      {
        $defs: { ...$defs, strict: { ...looked, unevaluatedProperties: false } },
        $ref: '#/$defs/strict',
      },
      { $defs, not: { not: { ...looked, unevaluatedProperties: false } } },
      { $defs, if: { ...looked, unevaluatedProperties: false }, else: false },
    ]) {
      const fits = compileSchema(schema);
      expect([fits({ a: 1 }), fits({ a: 1, b: 1 })]).toEqual([true, false]);
    }
    const asked = compileSchema({
      $dynamicAnchor: 'x',
      properties: { in: { $dynamicRef: '#x' } },
      unevaluatedProperties: false,
    });
    expect([asked({ in: { in: {} } }), asked({ in: { b: 1 } })]).toEqual([true, false]);
  });
});

describe('a schema', () => {
  it('that looks for objects compares them with all of a value', () => {
    const $defs = { e: { not: { enum: copies(5_000, {}) } } };
    const schema = { $defs, allOf: copies(30, { $ref: '#/$defs/e' }) };
    expect(inTime(schema, MEMBERS)).toBe('work');
    expect(
      inTime({ properties: { a: { enum: [{}, [], 'a'] } } }, { a: {}, ...MEMBERS }),
    ).toBeUndefined();
  });

  it('that notes fault after fault copies those before', () => {
    const ten = { anyOf: copies(100, { $ref: '#/$defs/b' }) };
    const schema = { $defs: { b: { anyOf: copies(60, false) } }, anyOf: copies(60, ten) };
    expect(inTime(schema, 1)).toBe('work');
  });

  it('refers to no meta-schema, and may name its own', () => {
    const $schema = 'https://json-schema.org/draft/2020-12/schema';
    expect(() => compileSchema({ $ref: $schema })).toThrow();
    expect(compileSchema({ $schema, type: 'integer' })(1)).toBe(true);
  });

  it('is read as a whole where one alternative fits everything', () => {
    expect(() => compileSchema({ anyOf: [true, { tpye: 'null' }] })).toThrow();
    expect(() => compileSchema({ anyOf: [{}, { $ref: '#/$defs/none' }] })).toThrow();
    expect(compileSchema({ anyOf: [{ type: 'null' }, {}] })(1)).toBe(true);
  });
});

/** Definitions that refer to those after them alone, so that what they multiply comes to an end. */
const DEFINITIONS = 12;
const NAMES = ['a', 'b', 'c', 'k1'];

const leaf: fc.Arbitrary<Json> = fc.oneof(
  fc.boolean(),
  fc.constantFrom<Json[]>(
    { patternProperties: { '': true } },
    { patternProperties: { '^k': { type: 'integer' } } },
    { additionalProperties: true },
    { propertyNames: { maxLength: 9 } },
    { minProperties: 1 },
    { not: { const: { a: 1 } } },
    { enum: [{}, [], { a: 1 }, [1], 1] },
    { contains: { const: 1 } },
    { prefixItems: [{ type: 'integer' }] },
    { items: { type: 'integer' } },
    { type: 'object' },
  ),
  fc.dictionary(fc.constantFrom(...NAMES), fc.boolean()).map((properties) => ({ properties })),
);

function node(index: number, most: number): fc.Arbitrary<JsonObject> {
  const reference = fc
    .integer({ min: index + 1, max: DEFINITIONS })
    .map((each): Json => ({ $ref: `#/$defs/d${each}` }));
  const one = fc.oneof({ weight: 2, arbitrary: reference }, { weight: 1, arbitrary: leaf });
  const list = fc.array(one, { minLength: 1, maxLength: most });
  const byName = fc.dictionary(fc.constantFrom(...NAMES), one);
  const keywords = fc.oneof(
    fc.record({ allOf: list }),
    fc.record({ anyOf: list }),
    fc.record({ oneOf: list }),
    fc.record({ if: one, then: one, else: one }),
    fc.record({ dependentSchemas: byName }),
    fc.record({ properties: byName }),
    fc.record({ items: one }),
    fc.record({ unevaluatedProperties: fc.boolean() }),
    fc.record({ unevaluatedItems: fc.boolean() }),
  );
  // Few of them: what has all fits nothing.
  const few = fc.array(keywords, { minLength: 1, maxLength: 3 });
  return few.map((each) => Object.assign({}, ...each) as JsonObject);
}

function schemas(most: number): fc.Arbitrary<JsonObject> {
  const nodes = numbers(DEFINITIONS).map((index) => node(index, most));
  return fc.tuple(fc.tuple(...nodes), leaf).map(([found, last]) => ({
    $defs: Object.fromEntries([...found, last].map((each, index) => [`d${index}`, each])),
    $ref: '#/$defs/d0',
  }));
}

/** A link of a chain: it fits what has many members, if the next link does. */
const link: fc.Arbitrary<(next: Json) => JsonObject> = fc
  .tuple(
    fc.constantFrom('allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas'),
    fc.constantFrom<Json[]>(
      { $ref: '#/$defs/either' },
      { properties: { k1: true, a: false } },
      { not: { enum: [{}, {}, [], 1] } },
    ),
  )
  .map(([keyword, beside]) => (next: Json): JsonObject => {
    if (keyword === 'if') return { if: beside, then: next, else: next };
    if (keyword === 'dependentSchemas') return { [keyword]: { k1: beside, k2: next } };
    return { [keyword]: [keyword === 'oneOf' ? { not: beside } : beside, next] };
  });

const chained: fc.Arbitrary<JsonObject> = fc
  .record({
    links: fc.array(link, { minLength: 60, maxLength: 120, size: 'max' }),
    width: fc.integer({ min: 20, max: 100 }),
    asks: fc.constantFrom<JsonObject[]>({}, { unevaluatedProperties: false }),
  })
  .map(({ links, width, asks }) => {
    const named = links.map((each, index) => [
      `r${index}`,
      each({ $ref: `#/$defs/r${index + 1}` }),
    ]);
    return {
      $defs: {
        ...(Object.fromEntries(named) as JsonObject),
        [`r${links.length}`]: { patternProperties: { '': true } },
        either: { anyOf: [{ properties: { a: true } }, { properties: { b: true } }] },
      },
      allOf: copies(width, { $ref: '#/$defs/r0' }),
      ...asks,
    };
  });

describe('any schema', () => {
  it('takes bounded time for any value', () => {
    const values = { members: MEMBERS, items: numbers(4_900), objects: copies(2_000, { a: 1 }) };
    const named = fc.constantFrom<(keyof typeof values)[]>('members', 'items', 'objects');
    fc.assert(
      fc.property(schemas(12), named, (schema, name) => {
        inTime(schema, values[name]);
      }),
      { ...RUNS, numRuns: RUNS.numRuns / 5 },
    );
  });

  it('of chains takes bounded time for many members', () => {
    fc.assert(
      fc.property(chained, (schema) => {
        inTime(schema, MEMBERS);
      }),
      { ...RUNS, numRuns: RUNS.numRuns / 10 },
    );
  });

  it('judges values as it does where nothing is counted and everything is noted', () => {
    const value: fc.Arbitrary<Json> = fc.oneof(
      fc.dictionary(fc.constantFrom(...NAMES), fc.constantFrom<Json[]>(1, 'x', {}, { a: 1 }, [1])),
      fc.array(fc.constantFrom<Json[]>(1, 'x', {}, { a: 1 })),
      fc.constantFrom<Json[]>(1, null),
    );
    fc.assert(
      fc.property(schemas(3), fc.array(value, { minLength: 5 }), (schema, values) => {
        const options = { validateSchema: false, ownProperties: true, logger: false } as const;
        const plain = new Ajv2020({ ...options, strict: false, inlineRefs: false }).compile(schema);
        const validate = compileValidator(schema);
        for (const each of values) {
          const misfit = validate(each);
          if (misfit !== 'work') expect(misfit === undefined).toBe(plain(each));
        }
      }),
      RUNS,
    );
  });
});
