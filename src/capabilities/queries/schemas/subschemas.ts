import {
  isObject,
  pointerTo,
  type Json,
  type JsonObject,
  type JsonPointer,
} from '../../../kernel/json.js';

/** Keywords whose value is a schema (JSON Schema 2020-12 core and applicator vocabularies). */
const ONE = new Set([
  ...['additionalProperties', 'contains', 'contentSchema', 'else', 'if', 'items', 'not'],
  ...['propertyNames', 'then', 'unevaluatedItems', 'unevaluatedProperties'],
]);
/** … a list of schemas. */
const LIST = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
/** … schemas by name. */
const NAMED = new Set([
  ...[
    '$defs',
    'definitions',
    'dependencies',
    'dependentSchemas',
    'patternProperties',
    'properties',
  ],
]);

/** A schema within a schema, and where. */
type Place = readonly [schema: JsonObject, pointer: JsonPointer];

/** A copy of a schema in which `change` replaced it and each schema within it, the inner ones first. */
export function eachSchema(
  schema: Json,
  pointer: JsonPointer,
  change: (...place: Place) => JsonObject,
): Json {
  if (!isObject(schema)) return schema;
  const within = (value: Json, at: JsonPointer): Json => eachSchema(value, at, change);
  const members = Object.entries(schema).map(([keyword, value]): [string, Json] => {
    const at = pointerTo(pointer, keyword);
    if (ONE.has(keyword)) return [keyword, within(value, at)];
    if (LIST.has(keyword) && isList(value)) {
      return [keyword, value.map((each, index) => within(each, pointerTo(at, index)))];
    }
    if (!NAMED.has(keyword) || !isObject(value)) return [keyword, value];
    const named = Object.entries(value).map(([name, each]): [string, Json] => [
      name,
      within(each, pointerTo(at, name)),
    ]);
    return [keyword, Object.fromEntries(named)];
  });
  return change(Object.fromEntries(members), pointer);
}

/** Does a schema, or one within it, look at what the others beside it have not looked at? */
export function asksForUnevaluated(schema: JsonObject): boolean {
  let asks = false;
  eachSchema(schema, '', (each) => {
    asks ||= 'unevaluatedProperties' in each || 'unevaluatedItems' in each;
    return each;
  });
  return asks;
}

/** Does a JSON pointer lead to a schema, and not into values that only look like one? */
export function leadsToSchema(pointer: JsonPointer): boolean {
  const [, ...tokens] = pointer.split('/');
  for (let next = tokens.shift(); next !== undefined; next = tokens.shift()) {
    if (ONE.has(next)) continue;
    if (!LIST.has(next) && !NAMED.has(next)) return false;
    if (tokens.shift() === undefined) return false;
  }
  return true;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
