import type { ErrorObject } from 'ajv/dist/2020.js';
import { pointerTo, type Json, type JsonObject, type JsonPointer } from '../../../kernel/json.js';
import type { Fault } from '../../../kernel/rejection.js';
import {
  compileValidator,
  holdsAtMost,
  type Misfit,
  type SchemaTest,
  type Validator,
} from './compile-schema.js';
import { eachSchema } from './subschemas.js';

/** Judges values by one schema. */
export interface SchemaJudge {
  readonly fits: SchemaTest;
  /**
   * What is wrong with a value, with pointers into it: all of it where that is bounded (a plain
   * schema, a small value), else the first place alone. Empty for one that fits, and for no other.
   */
  faults(value: Json): readonly Fault[];
}

/** More help nobody. */
const MAX_FAULTS = 50;
/** A pointer that is longer gives way to the nearest ancestor that is not. */
const MAX_POINTER_LENGTH = 256;
/** Ajv's sentences quote the schema. */
const MAX_DETAIL_LENGTH = 300;

/** Everything is looked for in values and by schemas (characters of JSON) that are no larger. */
const MAX_THOROUGH = { values: 200, schema: 8 * 1024 };

/** With any of these one value may be judged many times over, and each time be at fault. */
const MULTIPLYING = [
  ...[
    '$ref',
    '$dynamicRef',
    'allOf',
    'anyOf',
    'oneOf',
    'not',
    'if',
    'contains',
    'dependentSchemas',
  ],
  ...['dependencies', 'propertyNames', 'patternProperties'],
  ...['unevaluatedItems', 'unevaluatedProperties'],
] as const;

/**
 * A judge by a schema of a manifest, bounded whatever the schema and the value are.
 * @throws {Error} when the schema does not compile
 */
export function judgeBy(schema: JsonObject): SchemaJudge {
  const validate = compileValidator(schema);
  // Most callers send what fits: the second validator is made when somebody does not.
  let thorough: Validator | undefined;
  const isThorough = isPlain(schema);
  return {
    fits: (value, shared) => validate(value, shared) === undefined,
    faults: (value) => {
      const misfit = validate(value);
      if (misfit === undefined) return [];
      const isBounded = isThorough && holdsAtMost(value, MAX_THOROUGH.values);
      if (typeof misfit === 'string' || !isBounded) return faultsOf(misfit);
      thorough ??= compileValidator(schema, true);
      return faultsOf(thorough(value) ?? misfit);
    },
  };
}

function isPlain(schema: JsonObject): boolean {
  if (JSON.stringify(schema).length > MAX_THOROUGH.schema) return false;
  let isIt = true;
  eachSchema(schema, '', (each) => {
    isIt &&= !MULTIPLYING.some((keyword) => keyword in each);
    return each;
  });
  return isIt;
}

function faultsOf(misfit: Misfit): readonly Fault[] {
  if (misfit === 'size') return [{ pointer: '', detail: 'holds too many values' }];
  if (misfit === 'work') return [{ pointer: '', detail: 'takes too many steps to check' }];
  const faults = new Map<string, Fault>();
  for (const error of misfit) {
    if (faults.size === MAX_FAULTS) break;
    const fault = faultOf(error);
    faults.set(JSON.stringify([fault.pointer, fault.detail]), fault);
  }
  // Whatever Ajv says, what does not fit has a fault.
  return faults.size === 0 ? [{ pointer: '', detail: 'does not fit' }] : [...faults.values()];
}

/** At the member that is missing, or is one too many, where Ajv points at the object around it. */
function faultOf({ keyword, instancePath, params, message }: ErrorObject): Fault {
  const { missingProperty, additionalProperty, unevaluatedProperty } = params as Partial<
    Record<string, unknown>
  >;
  if (keyword === 'required' && typeof missingProperty === 'string') {
    return { pointer: bounded(pointerTo(instancePath, missingProperty)), detail: 'is missing' };
  }
  const surplus = additionalProperty ?? unevaluatedProperty;
  if (typeof surplus === 'string') {
    return { pointer: bounded(pointerTo(instancePath, surplus)), detail: 'is not expected' };
  }
  const detail = (message ?? 'does not fit').slice(0, MAX_DETAIL_LENGTH);
  return { pointer: bounded(instancePath), detail };
}

function bounded(pointer: JsonPointer): JsonPointer {
  let shorter = pointer;
  while (shorter.length > MAX_POINTER_LENGTH) shorter = shorter.slice(0, shorter.lastIndexOf('/'));
  return shorter;
}
