import type { SchemaKind } from './schema.js';

/** How many parts the keys lie in, by a hash of the scope: what one destruction writes anew. */
const BUCKETS = 32;

/**
 * The key store's tables. A destroyed key is a row without one: a scope never gets another.
 *
 * PostgreSQL overwrites nothing: an updated row leaves its old bytes behind in the page, through VACUUM
 * too. `rewrite` therefore moves what is left of a bucket into a new file and truncates the old one.
 * Nobody reads the bucket meanwhile; it waits a moment only, so that it holds nobody up, and fails
 * with `lock_not_available` when somebody keeps reading (a dump, say).
 *
 * `rewrites_due` has the buckets in which old bytes were left: noted in the transaction that left them,
 * and gone with the one that removed them. Whoever destroys holds the bucket's lock when it notes it,
 * and `rewrite` when it takes the note away, so that none is lost between two nodes.
 *
 * No statistics are kept of the keys: they would be copies of them, in the catalogue.
 */
export const KEY_STORE_SCHEMA: SchemaKind = {
  name: 'key store',
  version: 2,
  statements: (schema) => `
    CREATE TABLE ${schema}.keys (
      scope text COLLATE "C" PRIMARY KEY,
      key bytea
    ) PARTITION BY HASH (scope);
    ALTER TABLE ${schema}.keys ALTER COLUMN key SET STATISTICS 0;
    ${buckets((n) => bucket(schema, n))}
    ${rewriting(schema)}
  `,
  upgrades: [
    // Version 1 kept no account of what was left to rewrite: all of it may be.
    (schema) => `
      ${rewriting(schema)}
      ${buckets((n) => `INSERT INTO ${schema}.rewrites_due VALUES ('${nameOf(schema, n)}'::regclass);`)}
    `,
  ],
};

function rewriting(schema: string): string {
  return `
    CREATE TABLE ${schema}.rewrites_due (bucket regclass PRIMARY KEY);

    CREATE OR REPLACE FUNCTION ${schema}.rewrite(bucket regclass) RETURNS void LANGUAGE plpgsql VOLATILE AS $body$
    DECLARE
      scopes text[];
      kept bytea[];
    BEGIN
      PERFORM set_config('lock_timeout', '100', true);
      EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', bucket);
      EXECUTE format('SELECT array_agg(scope), array_agg(key) FROM %s', bucket) INTO scopes, kept;
      EXECUTE format('TRUNCATE %s', bucket);
      EXECUTE format('INSERT INTO %s (scope, key) SELECT * FROM unnest($1, $2)', bucket) USING scopes, kept;
      DELETE FROM ${schema}.rewrites_due AS due WHERE due.bucket = rewrite.bucket;
    END
    $body$;
  `;
}

function buckets(statement: (n: number) => string): string {
  return Array.from({ length: BUCKETS }, (_, n) => statement(n)).join('\n');
}

function nameOf(schema: string, n: number): string {
  return `${schema}.keys_${String(n)}`;
}

function bucket(schema: string, n: number): string {
  const name = nameOf(schema, n);
  return `
    CREATE TABLE ${name} PARTITION OF ${schema}.keys
      FOR VALUES WITH (MODULUS ${String(BUCKETS)}, REMAINDER ${String(n)});
    ALTER TABLE ${name} ALTER COLUMN key SET STATISTICS 0;`;
}
