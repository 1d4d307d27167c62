import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonObject, JsonPointer } from '../../kernel/json.js';
import type { Fault } from '../../kernel/rejection.js';
import type { DirectInvokeMembers } from '../domain/parse-manifest.js';
import { compileSchema, holdsAtMost, schemaHazards } from '../queries/schemas/compile-schema.js';

/** Ajv's sentences quote the schema. */
const MAX_DETAIL_LENGTH = 300;
const MAX_FAULTS = 50;
/** JSON values in one schema. What compiling takes grows with the square of some keywords. */
const MAX_SCHEMA_VALUES = 2_000;

/**
 * What keeps the schemas of a manifest from judging anything, with pointers into its document: they
 * are JSON Schema 2020-12, refer to nothing outside of themselves, and every keyword and format is a
 * known one, so that nobody relies on a check that is not made. Those that could not be read are not
 * judged.
 */
export function schemaFaults(directInvoke: DirectInvokeMembers | null): readonly Fault[] {
  if (directInvoke === null) return [];
  const { inputSchema, outputSchema } = directInvoke;
  return [
    ...(inputSchema === null ? [] : faultsOf(inputSchema, '/direct_invoke/input_schema')),
    ...(outputSchema === null ? [] : faultsOf(outputSchema, '/direct_invoke/output_schema')),
  ];
}

/** Judges schemas as documents; compiled once, since that costs more than all that it judges. */
const judge = new Ajv2020({ allErrors: true, logger: false });

function faultsOf(schema: JsonObject, pointer: JsonPointer): readonly Fault[] {
  // An asynchronous validator answers with a promise, which whoever tests it takes for true.
  if ('$async' in schema) return [{ pointer: `${pointer}/$async`, detail: 'is not supported' }];
  if (!holdsAtMost(schema, MAX_SCHEMA_VALUES)) {
    return [{ pointer, detail: `holds more than ${MAX_SCHEMA_VALUES} values` }];
  }
  try {
    if (judge.validateSchema(schema) !== true) return metaFaults(pointer);
    const hazards = schemaHazards(schema).slice(0, MAX_FAULTS);
    if (hazards.length > 0) {
      return hazards.map((each) => ({ ...each, pointer: pointer + each.pointer }));
    }
    compileSchema(schema);
    return [];
  } catch (error) {
    const message = error instanceof Error ? error.message : 'is no schema';
    return [{ pointer, detail: `does not compile: ${message.slice(0, MAX_DETAIL_LENGTH)}` }];
  }
}

/** One fault per place. */
function metaFaults(pointer: JsonPointer): readonly Fault[] {
  const faults = new Map<JsonPointer, Fault>();
  for (const { instancePath, message } of judge.errors ?? []) {
    const at = pointer + instancePath;
    if (!faults.has(at)) faults.set(at, { pointer: at, detail: message ?? 'is no schema' });
  }
  return [...faults.values()].slice(0, MAX_FAULTS);
}
