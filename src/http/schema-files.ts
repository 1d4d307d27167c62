import { readdirSync, readFileSync } from 'node:fs';

/** Relative to src/http and dist/http alike. */
const FOLDER = new URL('../../schemas/', import.meta.url);

/** Under which base the files name themselves and each other. */
const WRITTEN_BASE = 'https://countersign.example/schemas/';

/** The JSON Schemas that are served: `<folder>/<file>`. */
export const SCHEMA_NAMES: ReadonlySet<string> = new Set(
  readdirSync(FOLDER).flatMap((folder) =>
    readdirSync(new URL(`${folder}/`, FOLDER)).map((file) => `${folder}/${file}`),
  ),
);

/** The text of a schema, whose addresses are below another base. */
export function schemaText(name: string, publicBaseUrl: string): string {
  const text = readFileSync(new URL(name, FOLDER), 'utf8');
  return text.replaceAll(WRITTEN_BASE, `${publicBaseUrl}/schemas/`);
}

/**
 * The address of the schema of an event as it was stored: that of an older form where the type has
 * been written in several, else that of today's.
 */
export function eventSchemaUrl(type: string, schemaVersion: number, publicBaseUrl: string): string {
  const older = `events/${type}.v${String(schemaVersion)}.schema.json`;
  const name = SCHEMA_NAMES.has(older) ? older : `events/${type}.schema.json`;
  return `${publicBaseUrl}/schemas/${name}`;
}
