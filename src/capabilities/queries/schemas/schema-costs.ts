import { _, type CodeKeywordDefinition, type Name } from 'ajv/dist/2020.js';
import { isObject, type Json, type JsonObject } from '../../../kernel/json.js';
import { stepsPerCharacter } from './formats.js';
import { eachSchema } from './subschemas.js';
import type { WorkBudget } from './work-budget.js';

/** What testing a value by a schema costs, without what the schemas in it cost themselves. */
interface Costs {
  /** Whatever the value is. */
  readonly always: number;
  /** For each item, if it is an array. */
  readonly perItem: number;
  /** For each member, if it is an object. */
  readonly perMember: number;
  /** For each character, if it is a text. */
  readonly perCharacter: number;
}

/** Says what a schema costs; in no schema that anybody writes. */
export const COSTS = 'countersign:costs';

/** What following a reference counts for: it calls a validator, which may note faults. */
const STEPS_PER_REFERENCE = 10;
/** Characters that are looked at in the time of one step. */
const CHARACTERS_PER_STEP = 64;

/** Each with a schema that the same value is tested by, once. */
const IN_PLACE = ['not', 'if', 'then', 'else'];
const REFERENCES = ['$ref', '$dynamicRef'];
/** Compared with the value, or looked for in it, one by one. */
const COMPARED = ['enum', 'const', 'required', 'dependentRequired'];
const ALTERNATIVES = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const BY_NAME = ['properties', 'patternProperties', 'dependentSchemas', 'dependencies'];
/** What goes through all items, all members, all characters. */
const OF_ITEMS = ['items', 'contains', 'unevaluatedItems'];
const OF_MEMBERS = [
  ...['additionalProperties', 'patternProperties', 'propertyNames', 'unevaluatedProperties'],
  ...['minProperties', 'maxProperties'],
];
const OF_CHARACTERS = ['minLength', 'maxLength'];

/**
 * A copy of a schema that says, for it and each schema within it, what it costs. A schema pays for
 * those that are tested in its course before they are, one step each: one that fails at its first
 * keyword was tested, too.
 */
export function withCosts(schema: JsonObject): JsonObject {
  return eachSchema(schema, '', (each) => {
    const costs = costsOf(each);
    const isFree = Object.values(costs).every((cost) => cost === 0);
    return isFree ? each : { ...each, [COSTS]: { ...costs } };
  }) as JsonObject;
}

/** The keyword that takes them from a budget, before any other of its schema but `type`. */
export function costsKeyword(budget: WorkBudget): CodeKeywordDefinition {
  return {
    keyword: COSTS,
    schemaType: 'object',
    before: '$dynamicRef',
    code: ({ gen, data, schema }) => {
      const { always, perItem, perMember, perCharacter } = schema as Costs;
      const account: Name = gen.scopeValue('keyword', { ref: budget });
      if (always > 0) gen.code(_`${account}.spend(${always})`);
      if (perItem > 0) {
        gen.if(_`Array.isArray(${data})`, () =>
          gen.code(_`${account}.spend(${data}.length * ${perItem})`),
        );
      }
      if (perMember > 0) {
        gen.if(_`typeof ${data} == "object" && ${data} && !Array.isArray(${data})`, () =>
          gen.code(_`${account}.spend(Object.keys(${data}).length * ${perMember})`),
        );
      }
      if (perCharacter > 0) {
        gen.if(_`typeof ${data} == "string"`, () =>
          gen.code(_`${account}.spend(${data}.length * ${perCharacter})`),
        );
      }
    },
  };
}

/** What writing or reading a text costs. */
export function stepsFor(characters: number): number {
  return characters / CHARACTERS_PER_STEP;
}

function costsOf(schema: JsonObject): Costs {
  const sum = (keywords: readonly string[], cost: (value: Json) => number): number =>
    keywords.reduce((total, each) => {
      const value = schema[each];
      return value === undefined ? total : total + cost(value);
    }, 0);
  return {
    always:
      sum(IN_PLACE, () => 1) +
      sum(REFERENCES, () => STEPS_PER_REFERENCE) +
      sum(COMPARED, valuesIn) +
      sum([...ALTERNATIVES, ...BY_NAME], entriesOf),
    perItem: sum(OF_ITEMS, () => 1),
    perMember: sum(OF_MEMBERS, (value) => Math.max(1, entriesOf(value))),
    perCharacter:
      sum(OF_CHARACTERS, () => 1 / CHARACTERS_PER_STEP) + sum(['format'], stepsPerCharacter),
  };
}

function entriesOf(value: Json): number {
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : 0;
}

/** A value and everything in it. */
function valuesIn(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, each) => sum + valuesIn(each), 1);
}
