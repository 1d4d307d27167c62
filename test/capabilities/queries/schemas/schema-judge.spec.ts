import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compileSchema } from '../../../../src/capabilities/queries/schemas/compile-schema.js';
import { judgeBy } from '../../../../src/capabilities/queries/schemas/schema-judge.js';
import { SchemaJudges } from '../../../../src/capabilities/queries/schemas/schema-judges.js';
import type { Json, JsonObject } from '../../../../src/kernel/json.js';
import { RUNS } from '../../../support/property-runs.js';

const INVOICE: JsonObject = {
  type: 'object',
  properties: {
    number: { type: 'string', pattern: '^INV-[0-9]+$' },
    lines: { type: 'array', items: { type: 'object', required: ['amount'] }, maxItems: 3 },
    currency: { enum: ['EUR', 'USD'] },
  },
  required: ['number'],
  additionalProperties: false,
};

function faults(schema: JsonObject, value: Json): readonly string[] {
  return judgeBy(schema)
    .faults(value)
    .map(({ pointer, detail }) => `${pointer} ${detail}`)
    .sort();
}

describe('a judge by a schema', () => {
  it('tells every fault of a small value by a plain schema, at its place', () => {
    expect(faults(INVOICE, { lines: [{}, { amount: 1 }, {}], currency: 'DM', 'a/b': 1 })).toEqual([
      '/a~1b is not expected',
      '/currency must be equal to one of the allowed values',
      '/lines/0/amount is missing',
      '/lines/2/amount is missing',
      '/number is missing',
    ]);
  });

  it('tells the first place of one that could have faults without bound', () => {
    const anyOf = { anyOf: [INVOICE, { type: 'object', required: ['id'] }] };
    expect(faults(anyOf, {})).toEqual([
      ' must match a schema in anyOf',
      '/id is missing',
      '/number is missing',
    ]);
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`m${i}`, i]));
    expect(faults(INVOICE, { number: 'INV-1', ...many })).toHaveLength(1);
  });

  it('says of what is too large or too much work no more than that', () => {
    expect(
      faults(
        {},
        Array.from({ length: 6000 }, () => 0),
      ),
    ).toEqual([' holds too many values']);
    const recursive = {
      $defs: { n: { anyOf: [{ properties: { n: { $ref: '#/$defs/n' } }, required: ['x'] }] } },
      $ref: '#/$defs/n',
    };
    const twice = { $defs: { ...recursive.$defs }, allOf: [{ $ref: '#/$defs/n' }] };
    expect(faults(twice, {}).length).toBeGreaterThan(0);
  });

  it('gives no more than 50 faults, and no pointer of more than 256 characters', () => {
    const wide = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`m${i}`, i]));
    expect(faults(INVOICE, { number: 'INV-1', ...wide })).toHaveLength(50);
    const [long] = judgeBy(INVOICE).faults({ number: 'INV-1', ['x'.repeat(300)]: 1 });
    expect(long?.pointer).toBe('');
  });

  it('counts members of a value’s own alone', () => {
    expect(faults({ required: ['constructor'] }, {})).toEqual(['/constructor is missing']);
    expect(faults({ properties: { toString: { type: 'string' } } }, {})).toEqual([]);
  });

  it('has faults for what does not fit, and for nothing else', () => {
    const values = fc.record({
      number: fc.oneof(fc.constant('INV-1'), fc.jsonValue()),
      currency: fc.oneof(fc.constant('EUR'), fc.jsonValue()),
    });
    const schemas = fc.constantFrom<JsonObject>(INVOICE, {
      anyOf: [INVOICE, { maxProperties: 1 }],
    });
    fc.assert(
      fc.property(schemas, values, (schema, value) => {
        const judge = judgeBy(schema);
        expect(judge.fits(value as Json)).toBe(compileSchema(schema)(value as Json));
        expect(judge.faults(value as Json).length === 0).toBe(judge.fits(value as Json));
      }),
      RUNS,
    );
  });
});

describe('the judges of a process', () => {
  it('are one for schemas of the same content', () => {
    const judges = new SchemaJudges();
    const judge = judges.of(INVOICE);
    expect(judges.of({ ...INVOICE })).toBe(judge);
    expect(judges.of({ ...INVOICE, title: 'x' })).not.toBe(judge);
    expect([judges.has(INVOICE), judges.has({ ...INVOICE })]).toEqual([true, false]);
  });

  it('are none for a schema that does not compile', () => {
    expect(new SchemaJudges().of({ pattern: '(' })).toBeNull();
  });
});
