import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataKey } from '../../../src/event-store/key-store.js';
import { EventStoreUnavailable } from '../../../src/event-store/port.js';
import { openPostgresEventStore } from '../../../src/event-store/postgres/postgres-event-store.js';
import {
  openPostgresKeyStore,
  type PostgresKeyStore,
} from '../../../src/event-store/postgres/postgres-key-store.js';
import { envelope, freshStream } from '../../contracts/support/envelopes.js';
import { value } from '../../contracts/support/reading.js';
import { eventually } from '../../support/eventually.js';
import {
  dropNamespace,
  freshNamespace,
  onPostgres,
  postgresUrl,
} from '../../support/shared-postgres.js';

let url: string;
let namespace: string;
let schema: string;

beforeEach(async () => {
  url = await postgresUrl();
  namespace = freshNamespace();
  schema = `countersign_${namespace}`;
});

afterEach(async () => {
  await dropNamespace(namespace);
});

describe('a destroyed key', () => {
  let store: PostgresKeyStore;

  beforeEach(async () => {
    store = await openPostgresKeyStore(url, { namespace, randomBytes, patienceMs: 500 });
  });

  afterEach(async () => {
    await store.close();
  });

  it('is in no file of the tables any more, while the others are', async () => {
    const scopes = Array.from({ length: 300 }, () => freshStream());
    const keys = await Promise.all(scopes.map((scope) => store.obtain(scope)));
    await onPostgres((client) => client.query(`ANALYZE ${schema}.keys`));
    const isReadable = await canReadFiles();
    if (isReadable) expect(await countInTables(keys as DataKey[])).toBe(300);
    const doomed = scopes.map((_, index) => index).filter((index) => index % 3 !== 1);
    await Promise.all(doomed.map((index) => store.destroy(scopes[index] ?? '')));
    const gone = doomed.map((index) => keys[index] as DataKey);
    if (isReadable) {
      expect(await countInTables(gone)).toBe(0);
      expect(await countInTables(keys as DataKey[])).toBe(100);
    }
    for (const [index, scope] of scopes.entries()) {
      expect(await store.find(scope)).toEqual(index % 3 === 1 ? keys[index] : 'erased');
    }
  });

  it('is not said to be destroyed while somebody keeps its bytes from being removed', async () => {
    const scope = freshStream();
    await store.obtain(scope);
    await onPostgres(async (dump) => {
      await dump.query('BEGIN');
      await dump.query(`SELECT count(*) FROM ${schema}.keys`);
      await expect(store.destroy(scope)).rejects.toThrow(EventStoreUnavailable);
      expect(await store.obtain(scope)).toBe('erased');
      await dump.query('COMMIT');
    });
    await store.destroy(scope);
    expect(await store.find(scope)).toBe('erased');
    expect(await rewritesDue()).toBe(0);
  });

  it('loses its bytes without a further call, once nobody keeps them any more', async () => {
    const scope = freshStream();
    const key = (await store.obtain(scope)) as DataKey;
    await destroyHeld(scope);
    expect(await rewritesDue()).toBe(1);
    await untilForgotten([key]);
  }, 20_000);

  it('loses its bytes at the next start after a process that was killed before it could', async () => {
    const scope = freshStream();
    const key = (await store.obtain(scope)) as DataKey;
    const left = store;
    await destroyHeld(scope, async () => left.close());
    expect(await rewritesDue()).toBe(1);
    store = await openPostgresKeyStore(url, { namespace, randomBytes });
    await untilForgotten([key], 2_000);
    expect(await store.find(scope)).toBe('erased');
  });

  it('is written out of its bucket once, however often it is destroyed', async () => {
    const scope = freshStream();
    await store.obtain(scope);
    await store.destroy(scope);
    const before = await bucketFiles();
    await Promise.all([store.destroy(scope), store.destroy(scope)]);
    expect(await bucketFiles()).toEqual(before);
  });

  it('waits for its own bucket alone', async () => {
    const scopes = Array.from({ length: 100 }, () => freshStream());
    for (const scope of scopes) await store.obtain(scope);
    await onPostgres(async (dump) => {
      await dump.query('BEGIN');
      await dump.query(`SELECT count(*) FROM ${schema}.keys_0`);
      const outcomes = await Promise.allSettled(scopes.map((scope) => store.destroy(scope)));
      const { rows } = await dump.query<{ scope: string }>(`SELECT scope FROM ${schema}.keys_0`);
      const held = new Set(rows.map(({ scope }) => scope));
      expect(held.size).toBeGreaterThan(0);
      for (const [index, { status }] of outcomes.entries()) {
        expect(status).toBe(held.has(scopes[index] ?? '') ? 'rejected' : 'fulfilled');
      }
      await dump.query('COMMIT');
    });
  });

  it('of a build that kept no account of what it left behind loses its bytes too', async () => {
    const [scope, other] = [freshStream(), freshStream()];
    const key = (await store.obtain(scope)) as DataKey;
    const kept = await store.obtain(other);
    await store.close();
    await onPostgres((client) =>
      client.query(`UPDATE ${schema}.about SET version = 1; DROP TABLE ${schema}.rewrites_due;
        UPDATE ${schema}.keys SET key = NULL WHERE scope = '${scope}'`),
    );
    const stores = await Promise.all(
      [1, 2].map(() => openPostgresKeyStore(url, { namespace, randomBytes })),
    );
    await untilForgotten([key]);
    for (const each of stores) {
      expect([await each.find(scope), await each.find(other)]).toEqual(['erased', kept]);
      await each.close();
    }
  }, 20_000);

  /** While somebody reads on for longer than the store waits; it fails. */
  async function destroyHeld(scope: string, then = () => Promise.resolve()): Promise<void> {
    await onPostgres(async (dump) => {
      await dump.query('BEGIN');
      await dump.query(`SELECT count(*) FROM ${schema}.keys`);
      await expect(store.destroy(scope)).rejects.toThrow(EventStoreUnavailable);
      await then();
      await dump.query('COMMIT');
    });
  }

  async function untilForgotten(keys: readonly DataKey[], withinMs = 15_000): Promise<void> {
    await eventually(async () => (await rewritesDue()) === 0, withinMs);
    if (await canReadFiles()) expect(await countInTables(keys)).toBe(0);
  }

  async function rewritesDue(): Promise<number> {
    const { rows } = await onPostgres((client) =>
      client.query(`SELECT FROM ${schema}.rewrites_due`),
    );
    return rows.length;
  }

  async function bucketFiles(): Promise<unknown> {
    const { rows } = await onPostgres((client) =>
      client.query(
        `SELECT relname, relfilenode FROM pg_class
         WHERE relnamespace = '${schema}'::regnamespace ORDER BY relname`,
      ),
    );
    return rows;
  }

  it('never makes another key look as if it had not been', async () => {
    const scopes = Array.from({ length: 40 }, () => freshStream());
    const keys = new Map<string, unknown>();
    for (const scope of scopes) keys.set(scope, await store.obtain(scope));
    const other = await openPostgresKeyStore(url, { namespace, randomBytes });
    let destroying = true;
    const reading = (async () => {
      let looks = 0;
      for (; destroying; looks++) {
        expect(await other.findAll(scopes)).toEqual(keys);
        for (const scope of scopes.slice(0, 5)) {
          expect(await other.find(scope)).toEqual(keys.get(scope));
        }
      }
      return looks;
    })();
    for (let n = 0; n < 100; n++) await store.destroy(freshStream());
    destroying = false;
    expect(await reading).toBeGreaterThan(5);
    await other.close();
  });

  it('was never copied into statistics', async () => {
    await store.obtain(freshStream());
    const { rows } = await onPostgres(async (client) => {
      await client.query(`ANALYZE ${schema}.keys`);
      return client.query(`SELECT * FROM pg_stats WHERE schemaname = $1 AND attname = 'key'`, [
        schema,
      ]);
    });
    expect(rows).toEqual([]);
  });

  it.each([16, 33])('is no key of %i bytes', async (length) => {
    const other = await openPostgresKeyStore(url, {
      namespace,
      randomBytes: () => randomBytes(length),
    });
    await expect(other.obtain('scope')).rejects.toThrow(TypeError);
    expect(await other.find('scope')).toBeUndefined();
    await other.close();
  });

  it.each(['a\u0000b', '\udfff'])(
    'belongs to no scope that cannot be stored: %j',
    async (scope) => {
      expect(await store.find(scope)).toBeUndefined();
      expect(await store.findAll([scope])).toEqual(new Map());
      await expect(store.obtain(scope)).rejects.toThrow(TypeError);
      await expect(store.destroy(scope)).rejects.toThrow(TypeError);
    },
  );
});

describe('deleted streams', () => {
  it('leave no row and no dead row behind', async () => {
    const store = await openPostgresEventStore(url, { namespace });
    const heads = new Map();
    for (let n = 0; n < 50; n++) {
      const stream = freshStream('task-');
      const { position } = value(await store.append(stream, 'no-stream', [envelope()]));
      if (n % 2 === 0) heads.set(stream, position);
    }
    expect((await store.deleteStreams(heads)).size).toBe(25);
    const counts = await onPostgres(async (client) => {
      await client.query('SELECT pg_stat_force_next_flush()').catch(() => undefined);
      const { rows } = await client.query<{ dead: string; live: string }>(
        `SELECT n_dead_tup AS dead, (SELECT count(*) FROM ${schema}.events) AS live
         FROM pg_stat_all_tables WHERE relid = '${schema}.events'::regclass`,
      );
      return rows[0];
    });
    expect(counts).toEqual({ dead: '0', live: '25' });
    await store.close();
  });

  it('are said to be there still when their place could not be made free, until a later call', async () => {
    const store = await openPostgresEventStore(url, { namespace, patienceMs: 300 });
    const stream = freshStream('task-');
    const { position } = value(await store.append(stream, 'no-stream', [envelope()]));
    await onPostgres(async (other) => {
      await other.query('BEGIN');
      await other.query(`LOCK TABLE ${schema}.streams IN SHARE UPDATE EXCLUSIVE MODE`);
      const deleting = store.deleteStreams(new Map([[stream, position]]));
      await expect(deleting).rejects.toThrow(EventStoreUnavailable);
      expect(await store.readStream(stream)).toEqual([]);
      await other.query('ROLLBACK');
    });
    expect(await store.deleteStreams(new Map())).toEqual(new Set());
    await store.close();
  });
});

/** Whether the server's files are those of this machine, and may be read: always, when it is ours. */
async function canReadFiles(): Promise<boolean> {
  try {
    return readdirSync((await tableFiles()).folder).length > 0;
  } catch (error) {
    if ((process.env['POSTGRES_URL'] ?? '') === '') throw error;
    return false;
  }
}

async function tableFiles(): Promise<{ folder: string }> {
  const { rows } = await onPostgres((client) =>
    client.query<{ folder: string }>(
      `SELECT current_setting('data_directory') || '/base/' ||
        (SELECT oid FROM pg_database WHERE datname = current_database()) AS folder`,
    ),
  );
  return { folder: rows[0]?.folder ?? '' };
}

/** How many of the keys have bytes in a file of the database. */
async function countInTables(keys: readonly DataKey[]): Promise<number> {
  await onPostgres((client) => client.query('CHECKPOINT'));
  const { folder } = await tableFiles();
  const contents = readdirSync(folder).map((file) => readFileSync(join(folder, file)));
  return keys.filter((key) =>
    contents.some((bytes) => bytes.includes(Buffer.from(key.subarray(8, 16)))),
  ).length;
}
