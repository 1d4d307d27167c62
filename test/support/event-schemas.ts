import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';

export const EVENT_SCHEMAS = new URL('../../schemas/events/', import.meta.url);
export const EVENT_SCHEMA_BASE = 'https://countersign.example/schemas/events/';
const WIRE = new URL('../../schemas/v0.1/', import.meta.url);

const ajv = new Ajv2020({ strict: true, allErrors: true });
for (const name of ['uuid', 'date-time', 'uri'] as const) ajv.addFormat(name, fullFormats[name]);
for (const folder of [WIRE, EVENT_SCHEMAS]) {
  for (const file of readdirSync(folder)) {
    ajv.addSchema(JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as object);
  }
}

/** What the schema of an event type, or `envelope`, finds wrong with a value. */
export function schemaFaults(name: string, value: unknown): string[] {
  const validate = ajv.getSchema(`${EVENT_SCHEMA_BASE}${name}.schema.json`);
  if (validate === undefined) throw new Error(`no schema ${name}`);
  void validate(value);
  return (validate.errors ?? []).map(
    ({ instancePath, message }) => `${instancePath} ${message ?? ''}`,
  );
}

/** The same of an event, by the schema of the form in which it was stored. */
export function eventFaults(event: {
  readonly type: string;
  readonly schemaVersion: number;
  readonly data: object;
  readonly texts?: unknown;
}): string[] {
  const older = `${event.type}.v${String(event.schemaVersion)}`;
  const isOlder = ajv.getSchema(`${EVENT_SCHEMA_BASE}${older}.schema.json`) !== undefined;
  return schemaFaults(isOlder ? older : event.type, event);
}
