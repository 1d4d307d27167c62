import type { SchemaKind } from './schema.js';

/** First half of the advisory lock's key; the second is the table of events: `CSev`. */
const LOCK = 0x43_53_65_76;

/**
 * The event store's tables, and the two functions that change them.
 *
 * Both take one advisory lock, which the transaction gives back only after its commit can be seen:
 * so positions become visible in their order and without gaps, and whoever has read up to one has
 * seen everything before it. (A sequence gives its numbers before the commit, in any order.) The lock
 * is held by the server alone, for one statement: no client that stalls can hold it.
 *
 * `head` keeps the newest position when its event is deleted: none is given twice.
 *
 * Bodies are text, not `jsonb`, which has no U+0000 and rewrites numbers. Statistics are off where
 * they would copy contents into the catalogue, out of reach of a deletion.
 */
export const EVENT_STORE_SCHEMA: SchemaKind = {
  name: 'event store',
  version: 2,
  // What the function was before stays: nodes of an earlier build use it until they are replaced.
  upgrades: [appendFunction],
  statements: (schema) => `
    CREATE TABLE ${schema}.streams (
      number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name text COLLATE "C" NOT NULL UNIQUE
    );
    CREATE TABLE ${schema}.events (
      position bigint PRIMARY KEY,
      stream bigint NOT NULL,
      revision bigint NOT NULL,
      type text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      body text COLLATE "C" NOT NULL,
      UNIQUE (stream, revision)
    );
    CREATE TABLE ${schema}.head (
      is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
      deleted bigint NOT NULL
    );
    INSERT INTO ${schema}.head (deleted) VALUES (0);
    ALTER TABLE ${schema}.streams ALTER COLUMN name SET STATISTICS 0;
    ALTER TABLE ${schema}.events ALTER COLUMN id SET STATISTICS 0;
    ALTER TABLE ${schema}.events ALTER COLUMN body SET STATISTICS 0;

    CREATE FUNCTION ${schema}.newest() RETURNS bigint LANGUAGE sql STABLE AS $body$
      SELECT greatest((SELECT max(position) FROM ${schema}.events), (SELECT deleted FROM ${schema}.head))
    $body$;

    CREATE FUNCTION ${schema}.take_lock() RETURNS void LANGUAGE sql VOLATILE AS $body$
      SELECT pg_advisory_xact_lock(${String(LOCK)}, ('${schema}.events'::regclass::oid::bigint - 2147483648)::integer)
    $body$;

    ${appendFunction(schema)}

    -- Names of the streams that are gone.
    CREATE FUNCTION ${schema}.delete_streams(names text[], heads bigint[]) RETURNS SETOF text
    LANGUAGE plpgsql VOLATILE AS $body$
    DECLARE
      doomed bigint;
    BEGIN
      PERFORM ${schema}.take_lock();
      UPDATE ${schema}.head SET deleted = ${schema}.newest();
      FOR n IN 1 .. cardinality(names) LOOP
        doomed := (SELECT s.number FROM ${schema}.streams s WHERE s.name = names[n]
          AND heads[n] = (SELECT e.position FROM ${schema}.events e
            WHERE e.stream = s.number ORDER BY e.revision DESC LIMIT 1));
        CONTINUE WHEN doomed IS NULL;
        DELETE FROM ${schema}.events e WHERE e.stream = doomed;
        DELETE FROM ${schema}.streams s WHERE s.number = doomed;
        RETURN NEXT names[n];
      END LOOP;
    END
    $body$;
  `,
};

function appendFunction(schema: string): string {
  return `
    -- Where each append is, or where its stream is instead: at the revision that was asked for when it is a
    -- stream of its basis that has moved. No stream is named twice, nor as the basis of a later append.
    CREATE FUNCTION ${schema}.append(
      names text[], afters bigint[], sizes integer[], types text[], ids text[], bodies text[],
      basis_of bigint[], basis_names text[], basis_heads bigint[]
    ) RETURNS TABLE (is_stored boolean, last_revision bigint, last_position bigint)
    -- One plan for every batch: making one takes longer than carrying it out.
    LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan AS $body$
    DECLARE
      newest bigint;
    BEGIN
      PERFORM ${schema}.take_lock();
      newest := ${schema}.newest();
      RETURN QUERY
      WITH asked AS (
        SELECT a.*, (sum(size) OVER (ORDER BY n) - size)::integer AS before,
          (SELECT s.number FROM ${schema}.streams s WHERE s.name = a.name) AS known
        FROM unnest(names, afters, sizes) WITH ORDINALITY a (name, after, size, n)
      ), moved AS MATERIALIZED (
        SELECT DISTINCT b.n FROM unnest(basis_of, basis_names, basis_heads) b (n, name, head)
        WHERE head IS DISTINCT FROM (SELECT e.revision
          FROM ${schema}.streams s JOIN ${schema}.events e ON e.stream = s.number
          WHERE s.name = b.name ORDER BY e.revision DESC LIMIT 1)
      ), judged AS MATERIALIZED (
        SELECT q.*, coalesce((SELECT e.revision FROM ${schema}.events e
          WHERE e.stream = known ORDER BY e.revision DESC LIMIT 1), -1) AS actual,
          n IN (SELECT moved.n FROM moved) AS has_moved
        FROM asked q
      ), begun AS (
        INSERT INTO ${schema}.streams (name)
          SELECT name FROM judged WHERE known IS NULL AND actual = after AND NOT has_moved ORDER BY n
          RETURNING number, name
      ), placed AS MATERIALIZED (
        SELECT j.*, coalesce(known, b.number) AS stream,
          newest + sum(size) OVER (ORDER BY n) AS last
        FROM judged j LEFT JOIN begun b USING (name) WHERE actual = after AND NOT has_moved
      ), written AS (
        INSERT INTO ${schema}.events (position, stream, revision, type, id, body)
          SELECT last - size + i, stream, after + i, types[before + i], ids[before + i], bodies[before + i]
          FROM placed, generate_series(1, size) i ORDER BY last, i
      ), answers AS (
        SELECT n, true, after + size, last FROM placed
        UNION ALL
        -- The same events once more?
        SELECT n, earlier IS NOT NULL, CASE WHEN earlier IS NULL THEN actual ELSE after + size END, earlier
        FROM judged j CROSS JOIN LATERAL (
          SELECT (SELECT max(e.position) FROM ${schema}.events e
            WHERE e.stream = known AND e.revision > after AND e.revision <= after + size
            HAVING array_agg(e.id ORDER BY e.revision) = ids[before + 1 : before + size]) AS earlier
        ) found WHERE actual <> after
        UNION ALL
        SELECT n, false, after, NULL FROM judged WHERE actual = after AND has_moved
      )
      SELECT a.is_stored, a.last_revision, a.last_position
        FROM answers a (n, is_stored, last_revision, last_position) ORDER BY a.n;
    END
    $body$;`;
}
