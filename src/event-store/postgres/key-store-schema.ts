import type { SchemaKind } from './schema.js';

/** How many parts the keys lie in, by a hash of the scope: what one destruction writes anew. */
const BUCKETS = 32;

/**
 * The key store's table. A destroyed key is a row without one: a scope never gets another.
 *
 * PostgreSQL overwrites nothing: an updated row leaves its old bytes behind in the page, through VACUUM
 * too. `rewrite` therefore moves what is left of a bucket into a new file and truncates the old one.
 * Nobody reads the bucket meanwhile; it waits a moment only, so that it holds nobody up, and fails
 * with `lock_not_available` when somebody keeps reading (a dump, say).
 *
 * No statistics are kept of the keys: they would be copies of them, in the catalogue.
 */
export const KEY_STORE_SCHEMA: SchemaKind = {
  name: 'key store',
  version: 1,
  statements: (schema) => `
    CREATE TABLE ${schema}.keys (
      scope text COLLATE "C" PRIMARY KEY,
      key bytea
    ) PARTITION BY HASH (scope);
    ALTER TABLE ${schema}.keys ALTER COLUMN key SET STATISTICS 0;
    ${Array.from({ length: BUCKETS }, (_, n) => bucket(schema, n)).join('\n')}

    CREATE FUNCTION ${schema}.rewrite(bucket regclass) RETURNS void LANGUAGE plpgsql VOLATILE AS $body$
    DECLARE
      scopes text[];
      kept bytea[];
    BEGIN
      PERFORM set_config('lock_timeout', '100', true);
      EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', bucket);
      EXECUTE format('SELECT array_agg(scope), array_agg(key) FROM %s', bucket) INTO scopes, kept;
      EXECUTE format('TRUNCATE %s', bucket);
      EXECUTE format('INSERT INTO %s (scope, key) SELECT * FROM unnest($1, $2)', bucket) USING scopes, kept;
    END
    $body$;
  `,
};

function bucket(schema: string, n: number): string {
  const name = `${schema}.keys_${String(n)}`;
  return `
    CREATE TABLE ${name} PARTITION OF ${schema}.keys
      FOR VALUES WITH (MODULUS ${String(BUCKETS)}, REMAINDER ${String(n)});
    ALTER TABLE ${name} ALTER COLUMN key SET STATISTICS 0;`;
}
