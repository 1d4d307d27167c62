import { Ajv2020 } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { JsonObject, JsonPointer } from '../../kernel/json.js';
import type { Fault } from '../../kernel/rejection.js';
import type { Manifest } from '../domain/manifest.js';

/** Ajv's sentences quote the schema. */
const MAX_DETAIL_LENGTH = 300;
const MAX_FAULTS = 50;

/**
 * What keeps the schemas of a manifest from judging anything, with pointers into its document: they
 * are JSON Schema 2020-12, refer to nothing outside of themselves, and every keyword and format is a
 * known one, so that nobody relies on a check that is not made.
 */
export function schemaFaults({ directInvoke }: Manifest): readonly Fault[] {
  if (directInvoke === null) return [];
  return [
    ...faultsOf(directInvoke.inputSchema, '/direct_invoke/input_schema'),
    ...faultsOf(directInvoke.outputSchema, '/direct_invoke/output_schema'),
  ];
}

/** Judges schemas as documents; compiled once, since that costs more than all that it judges. */
const judge = new Ajv2020({ allErrors: true, logger: false });

function faultsOf(schema: JsonObject, pointer: JsonPointer): readonly Fault[] {
  // An asynchronous validator answers with a promise, which whoever tests it takes for true.
  if ('$async' in schema) return [{ pointer: `${pointer}/$async`, detail: 'is not supported' }];
  try {
    if (judge.validateSchema(schema) !== true) return metaFaults(pointer);
    // One of its own each time: a schema may bring an `$id`, and no two may meet.
    new Ajv2020({
      validateSchema: false,
      strictTypes: false,
      strictTuples: false,
      logger: false,
      formats: fullFormats,
    }).compile(schema);
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
