import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { pointerTo, type Json, type JsonObject } from '../../../kernel/json.js';
import type { Fault } from '../../../kernel/rejection.js';
import { FORMATS } from './formats.js';
import { LinearPattern } from './linear-pattern.js';
import { COSTS, costsKeyword, withCosts } from './schema-costs.js';
import { asksForUnevaluated, eachSchema, leadsToSchema } from './subschemas.js';
import { uniqueItemsKeyword } from './unique-items.js';
import { WorkBudget, type SharedWork } from './work-budget.js';

/** Does a value have the shape of a schema (formats asserted)? */
export type SchemaTest = (value: Json, shared?: SharedWork) => boolean;

/**
 * Why a value does not fit: what Ajv says of it; `size`: it holds too many values; `work`: judging it
 * takes too many steps. Undefined: it fits.
 */
export type Misfit = readonly ErrorObject[] | 'size' | 'work';
export type Validator = (value: Json, shared?: SharedWork) => Misfit | undefined;

/** Values in a document that is tested, the document and everything in it: more fit nothing. */
const MAX_VALUES = 5_000;
/** Of what one test goes through: each schema for each value, each state of a pattern, long texts. */
const MAX_STEPS = 1_000_000;
/** What a test takes besides. */
const PER_TEST = 50;

/**
 * Compiles a schema (JSON Schema 2020-12), in the one way in which schemas of manifests are compiled:
 * every keyword and format must be known, and it refers to nothing outside of itself. Testing a value
 * is bounded, whatever schema and value are: large documents, schemas and references that multiply, and
 * patterns that run long fit nothing; no format takes more than time proportional to the text.
 *
 * @throws {Error} when it does not compile, or has {@link schemaHazards}
 */
export function compileSchema(schema: JsonObject): SchemaTest {
  const validate = compileValidator(schema);
  return (value, shared) => validate(value, shared) === undefined;
}

/**
 * As {@link compileSchema}; but its answer says why a value does not fit.
 * @param allErrors tells everything that is wrong, and not the first place alone: nothing bounds
 *   what that takes, but schema and value
 * @throws {Error} as {@link compileSchema}
 */
export function compileValidator(schema: JsonObject, allErrors = false): Validator {
  const [hazard] = schemaHazards(schema);
  if (hazard !== undefined) throw new Error(`${hazard.pointer} ${hazard.detail}`);
  const budget = new WorkBudget(MAX_STEPS);
  const linearPattern = (pattern: string) => new LinearPattern(pattern, budget);
  // One of its own each time: a schema may bring an `$id`, no two may meet, and all are kept.
  const ajv = new Ajv2020({
    validateSchema: false,
    // The meta-schema says nothing of what it costs, and is nothing that a schema may refer to.
    meta: false,
    allErrors,
    // What every object inherits is no member of it.
    ownProperties: true,
    strictTypes: false,
    strictTuples: false,
    logger: false,
    formats: FORMATS,
    // What is referred to is compiled once, and not once for each reference.
    inlineRefs: false,
    // Optimizing takes several times as long as all else, and gives nothing that V8 runs faster.
    code: {
      optimize: false,
      regExp: Object.assign(linearPattern, { code: 'linearPattern' }),
    },
  });
  // It is for nothing that every schema says which members it looked at, if none asks. Ajv2020 takes
  // no such option.
  const isTracked = asksForUnevaluated(schema);
  ajv.opts.unevaluated = isTracked;
  ajv.addKeyword(costsKeyword(budget));
  ajv.removeKeyword('uniqueItems').addKeyword(uniqueItemsKeyword(budget));
  const validate = ajv.compile(withCosts(schema, isTracked));
  return (value, shared) => {
    if (!holdsAtMost(value, MAX_VALUES)) return 'size';
    budget.renew(shared?.rest);
    try {
      return validate(value) ? undefined : (validate.errors ?? []);
    } catch {
      // Out of steps; or a recursive schema, where the stack ends before the value does.
      return 'work';
    } finally {
      shared?.take(budget.spent + PER_TEST);
    }
  };
}

/** What a schema may not have although JSON Schema has it, with pointers from the schema on. */
export function schemaHazards(schema: JsonObject): readonly Fault[] {
  const faults: Fault[] = [];
  eachSchema(schema, '', (each, pointer) => {
    if (COSTS in each) {
      faults.push({ pointer: pointerTo(pointer, COSTS), detail: 'is not a keyword' });
    }
    const { $ref: reference, pattern, patternProperties } = each;
    if (typeof reference === 'string' && !refersToSchema(reference)) {
      faults.push({ pointer: `${pointer}/$ref`, detail: 'refers to what is no schema' });
    }
    const named = typeof patternProperties === 'object' ? Object.keys(patternProperties ?? {}) : [];
    for (const [text, at] of [
      ...(typeof pattern === 'string' ? [[pattern, `${pointer}/pattern`] as const] : []),
      ...named.map((name) => [name, pointerTo(`${pointer}/patternProperties`, name)] as const),
    ]) {
      const fault = patternFault(text);
      if (fault !== undefined) faults.push({ pointer: at, detail: fault });
    }
    return each;
  });
  return faults;
}

function patternFault(pattern: string): string | undefined {
  try {
    new LinearPattern(pattern, new WorkBudget(0));
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return 'is no regular expression';
    return `cannot be matched in linear time: it ${error instanceof Error ? error.message : 'fails'}`;
  }
}

/** Into a value of `enum` or `const` a reference would lead past what is counted. */
function refersToSchema(reference: string): boolean {
  const [, fragment = ''] = reference.split('#');
  return !fragment.startsWith('/') || leadsToSchema(decoded(fragment));
}

/** Encoded slashes stay what they are: no separators. */
function decoded(fragment: string): string {
  try {
    return fragment.split('/').map(decodeURIComponent).join('/');
  } catch {
    return '/?';
  }
}

/** Does a document consist of so many values at most, itself and everything in it? */
export function holdsAtMost(value: Json, maxValues: number): boolean {
  const pending: Json[] = [value];
  for (let count = 0; count < pending.length; count++) {
    if (pending.length > maxValues) return false;
    const each = pending[count];
    if (typeof each !== 'object' || each === null) continue;
    for (const member of Object.values(each)) pending.push(member);
  }
  return true;
}
