import { EventStoreUnavailable } from '../port.js';
import type { Connections } from './connections.js';
import type { Ask } from './question.js';

/** What a schema of ours says of itself. */
export interface SchemaKind {
  /** In words, for whoever reads a refusal. */
  readonly name: string;
  /** The version that this build reads and writes. */
  readonly version: number;
  /** Makes its tables; `schema` is quoted. */
  readonly statements: (schema: string) => string;
  /** Index i turns version i+1 into i+2. */
  readonly upgrades?: readonly ((schema: string) => string)[];
}

/** The PostgreSQL schema of a store. */
export interface Schema {
  /** As it is. At most 63 bytes, and also the channel of its notifications. */
  readonly name: string;
  /** As SQL. */
  readonly quoted: string;
}

/** @throws {TypeError} unless it is a lower-case word of at most 40 letters, digits and `_`. */
export function schemaOf(namespace: string): Schema {
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(namespace)) throw new TypeError('not a namespace');
  const name = `countersign_${namespace}`;
  return { name, quoted: `"${name}"` };
}

/**
 * Makes a store's tables unless they are there, and brings those of an earlier version up to date.
 * Nodes that start at the same time wait for the first. An empty schema that somebody has made for a user who may make none is used as it is.
 * @throws {EventStoreUnavailable} when the schema is another program's or of a version that this
 * build does not know; it is left as it was.
 */
export async function ensureSchema(
  connections: Connections,
  schema: Schema,
  kind: SchemaKind,
): Promise<void> {
  const found = await connections.inSession((ask) => versionOf(ask, schema, kind));
  if (found === kind.version) return;
  await connections.inSession(async (ask) => {
    await ask({ text: 'BEGIN' });
    await ask({
      text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
      values: [schema.name],
    });
    const version = await versionOf(ask, schema, kind);
    if (version === undefined) await make(ask, schema, kind);
    else if (version < kind.version) await upgrade(ask, schema, kind, version);
    await ask({ text: 'COMMIT' });
  });
}

async function make(ask: Ask, schema: Schema, kind: SchemaKind): Promise<void> {
  if (!(await exists(ask, schema))) await ask({ text: `CREATE SCHEMA ${schema.quoted}` });
  await ask({
    text: `CREATE TABLE ${schema.quoted}.about (kind text NOT NULL, version integer NOT NULL);
      INSERT INTO ${schema.quoted}.about VALUES ('${kind.name}', ${String(kind.version)});
      ${kind.statements(schema.quoted)}`,
  });
}

async function upgrade(
  ask: Ask,
  schema: Schema,
  { version, upgrades = [] }: SchemaKind,
  from: number,
): Promise<void> {
  const steps = upgrades.slice(from - 1).map((step) => step(schema.quoted));
  await ask({
    text: `${steps.join('\n')}
      UPDATE ${schema.quoted}.about SET version = ${String(version)};`,
  });
}

/** Of the tables that are there; undefined when there are none. */
async function versionOf(ask: Ask, schema: Schema, kind: SchemaKind): Promise<number | undefined> {
  const [tables] = await ask<readonly [all: number, about: number]>({
    text: `SELECT count(*), count(*) FILTER (WHERE c.relname = 'about' AND 2 = (SELECT count(*)
        FROM pg_attribute a WHERE a.attrelid = c.oid AND (a.attname, a.atttypid::regtype::text)
          IN (('kind', 'text'), ('version', 'integer'))))
      FROM pg_class c WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)`,
    values: [schema.name],
  });
  const [all = 0, about = 0] = tables ?? [];
  if (all === 0) return undefined;
  const rows =
    about === 0
      ? []
      : await ask<readonly [kind: string, version: number]>({
          text: `SELECT kind, version FROM ${schema.quoted}.about`,
        });
  const [found] = rows;
  if (rows.length !== 1 || found?.[0] !== kind.name) {
    throw new EventStoreUnavailable(`the schema ${schema.name} is there, but is no ${kind.name}`);
  }
  const [, version] = found;
  const oldest = kind.version - (kind.upgrades ?? []).length;
  if (oldest <= version && version <= kind.version) return version;
  throw new EventStoreUnavailable(
    `the schema ${schema.name} has version ${String(version)} of the ${kind.name}, ` +
      `and this build knows only version ${String(kind.version)}`,
  );
}

async function exists(ask: Ask, schema: Schema): Promise<boolean> {
  const rows = await ask({
    text: 'SELECT FROM pg_namespace WHERE nspname = $1',
    values: [schema.name],
  });
  return rows.length > 0;
}
