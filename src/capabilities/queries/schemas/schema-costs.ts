import { _, Name, type CodeKeywordDefinition } from 'ajv/dist/2020.js';
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
  /** For each value in it and itself, if it is an object or an array. */
  readonly perValue: number;
}

const NOTHING: Costs = { always: 0, perItem: 0, perMember: 0, perCharacter: 0, perValue: 0 };

/** Says what a schema costs; in no schema that anybody writes. */
export const COSTS = 'countersign:costs';

/** What following a reference counts for: it calls a validator, which may note faults. */
const STEPS_PER_REFERENCE = 10;
/** Characters that are looked at in the time of one step. */
const CHARACTERS_PER_STEP = 64;
/** Names that a schema has, noted as looked at in the time of one step. */
const NAMES_PER_STEP = 8;
/** Faults noted so far, which a reference that does not fit copies, copied in the time of one step. */
const FAULTS_PER_STEP = 32;
/** What Ajv calls their list. */
const NOTED = new Name('vErrors');

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
/** What says which members it looked at, so that whoever asks for it takes them over one by one. */
const LOOKING = ['if', 'then', 'else', ...REFERENCES];
const LOOKING_EACH = ['allOf', 'anyOf', 'oneOf', 'dependentSchemas', 'dependencies'];

/**
 * A copy of a schema that says, for it and each schema within it, what it costs. A schema pays for
 * those that are tested in its course before they are, one step each: one that fails at its first
 * keyword was tested, too.
 * @param isTracked each schema says which members it looked at
 */
export function withCosts(schema: JsonObject, isTracked: boolean): JsonObject {
  const names = isTracked ? namesIn(schema) : 0;
  return eachSchema(schema, '', (each) => {
    const own = costsOf(each);
    const costs = isTracked ? withLooking(own, each, names) : own;
    const isFree = Object.values(costs).every((cost) => cost === 0);
    const compiled = withAlternatives(each);
    return isFree ? compiled : { ...compiled, [COSTS]: { ...costs } };
  }) as JsonObject;
}

/** The keyword that takes them from a budget, before any other of its schema but `type`. */
export function costsKeyword(budget: WorkBudget): CodeKeywordDefinition {
  return {
    keyword: COSTS,
    schemaType: 'object',
    before: '$dynamicRef',
    code: ({ gen, data, schema, parentSchema }) => {
      const { always, perItem, perMember, perCharacter, perValue } = schema as Costs;
      const account: Name = gen.scopeValue('keyword', { ref: budget });
      if (always > 0) gen.code(_`${account}.spend(${always})`);
      if (REFERENCES.some((each) => each in parentSchema)) {
        gen.code(_`${account}.spend(${NOTED} === null ? 0 : ${NOTED}.length / ${FAULTS_PER_STEP})`);
      }
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
      if (perValue > 0) {
        gen.if(_`typeof ${data} == "object" && ${data}`, () => {
          const count = gen.scopeValue('keyword', { ref: valuesIn });
          gen.code(_`${account}.spend(${count}(${data}) * ${perValue})`);
        });
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
    perValue: sum(['enum'], wholesIn) + sum(['const'], (value) => wholesIn([value])),
  };
}

/**
 * With what it costs to take over which members were looked at: from each schema that says it, every
 * member of the value and every name of the schema, at worst.
 */
function withLooking(costs: Costs, schema: JsonObject, names: number): Costs {
  const inPlace = LOOKING.filter((each) => each in schema).length;
  const sources = LOOKING_EACH.reduce(
    (sum, each) => sum + entriesOf(schema[each] ?? null),
    inPlace,
  );
  return {
    ...costs,
    always: costs.always + sources * Math.ceil(names / NAMES_PER_STEP),
    perMember: costs.perMember + sources,
  };
}

/** Different names in `properties`, of a schema and all within it. */
function namesIn(schema: JsonObject): number {
  const names = new Set<string>();
  eachSchema(schema, '', (each) => {
    if (isObject(each['properties'] ?? null)) {
      for (const name of Object.keys(each['properties'] as JsonObject)) names.add(name);
    }
    return each;
  });
  return names.size;
}

/**
 * Ajv leaves out alternatives of which one fits everything, and with them all that it would find
 * wrong in the others: one that costs something, even nothing, is not left out.
 */
function withAlternatives(schema: JsonObject): JsonObject {
  const { anyOf } = schema;
  return Array.isArray(anyOf) ? { ...schema, anyOf: anyOf.map(lookedAt) } : schema;
}

function lookedAt(schema: Json): Json {
  if (schema === true) return { [COSTS]: { ...NOTHING } };
  return isObject(schema) && !(COSTS in schema) ? { ...schema, [COSTS]: { ...NOTHING } } : schema;
}

function entriesOf(value: Json): number {
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : 0;
}

/** Objects and arrays of a list: each may be compared with a value as a whole. */
function wholesIn(values: Json): number {
  if (!Array.isArray(values)) return 0;
  return values.filter((each) => typeof each === 'object' && each !== null).length;
}

/** A value and everything in it. */
function valuesIn(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, each) => sum + valuesIn(each), 1);
}
