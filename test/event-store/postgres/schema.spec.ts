import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventStoreUnavailable } from '../../../src/event-store/port.js';
import { openPostgresEventStore } from '../../../src/event-store/postgres/postgres-event-store.js';
import { openPostgresKeyStore } from '../../../src/event-store/postgres/postgres-key-store.js';
import { Child } from '../../contracts/support/child.js';
import { PROCESS_TEST_TIMEOUT } from '../../contracts/support/effort.js';
import { envelope, freshStream } from '../../contracts/support/envelopes.js';
import type { AppenderTask } from '../../contracts/children/appender.js';
import {
  dropNamespace,
  freshNamespace,
  onPostgres,
  postgresUrl,
} from '../../support/shared-postgres.js';
import { elsewhere } from './elsewhere.js';

let url: string;
let namespace: string;
let schema: string;

beforeEach(async () => {
  url = await postgresUrl();
  namespace = freshNamespace();
  schema = `countersign_${namespace}`;
});

afterEach(async () => {
  await Child.killAll();
  await dropNamespace(namespace);
});

const kinds = [
  {
    kind: 'event store',
    use: async (at = url) => {
      const store = await openPostgresEventStore(at, { namespace });
      await store.append(freshStream(), 'no-stream', [envelope()]);
      return store;
    },
  },
  {
    kind: 'key store',
    use: async (at = url) => {
      const store = await openPostgresKeyStore(at, { namespace, randomBytes });
      await store.obtain(freshStream());
      return store;
    },
  },
];

describe.each(kinds)('the tables of the $kind', ({ kind, use }) => {
  it('are made once, however many open it at the same time', async () => {
    const stores = await Promise.all(Array.from({ length: 6 }, () => use()));
    for (const store of stores) await store.close();
    const made = await making();
    expect(made.tables.length).toBeGreaterThan(1);
    expect(new Set(made.tables.map(({ transaction }) => transaction)).size).toBe(1);
    expect(made.about).toBe(1);
    await (await use()).close();
    expect(await making()).toEqual(made);
  });

  const foreign: readonly [string, (schema: string) => string, RegExp][] = [
    [
      'a later version',
      (s) => `UPDATE ${s}.about SET version = 99`,
      /version 99 .* only version \d/,
    ],
    ['another store', (s) => `UPDATE ${s}.about SET kind = 'till'`, /is there, but is no/],
    ['no version', (s) => `DELETE FROM ${s}.about`, /is there, but is no/],
    ['a program that says nothing of itself', (s) => `DROP TABLE ${s}.about`, /but is no/],
    [
      'a program with a table of the same name',
      (s) => `DROP TABLE ${s}.about; CREATE TABLE ${s}.about (kind text)`,
      /but is no/,
    ],
  ];
  it.each(foreign)(
    'are refused when they are of %s, and left as they were',
    async (_, change, reason) => {
      await (await use()).close();
      await onPostgres((client) => client.query(change(schema)));
      const before = await tables();
      const opened = use();
      await expect(opened).rejects.toThrow(EventStoreUnavailable);
      await expect(opened).rejects.toThrow(reason);
      await expect(opened).rejects.toThrow(schema);
      expect(await tables()).toEqual(before);
    },
  );

  it('may lie in an empty schema that was made for a user who may make none', async () => {
    const [role, password] = [freshNamespace(), randomBytes(8).toString('hex')];
    const address = new URL(url);
    [address.username, address.password] = [role, password];
    await onPostgres((client) => client.query(`CREATE ROLE ${role} LOGIN PASSWORD '${password}'`));
    try {
      await expect(use(address.href)).rejects.toThrow(/this user may not do that/);
      await onPostgres((client) => client.query(`CREATE SCHEMA ${schema} AUTHORIZATION ${role}`));
      await (await use(address.href)).close();
    } finally {
      await dropNamespace(namespace);
      await onPostgres((client) => client.query(`DROP ROLE ${role}`));
    }
  });

  it('are not taken for those of another kind of store', async () => {
    await (await use()).close();
    await expect(kinds.find((other) => other.kind !== kind)?.use()).rejects.toThrow(/but is no/);
  });
});

it.each(['', 'Log', 'a-b', 'a"b', 'a.b', 'a b', '1a', 'x'.repeat(41), 'ä'])(
  'a namespace is never %j',
  async (other) => {
    await expect(openPostgresEventStore(url, { namespace: other })).rejects.toThrow(TypeError);
  },
);

it(
  'several processes may make one log at the same time',
  async () => {
    const log = elsewhere({ kind: 'events', url, namespace });
    const children = Array.from({ length: 3 }, () => {
      const task: AppenderTask = { log, streams: [freshStream()], batches: 2 };
      return new Child('appender.ts', task);
    });
    await Promise.all(children.map((child) => child.finished()));
    const store = await openPostgresEventStore(url, { namespace });
    expect(await store.head()).toBe('00000000000000000009');
    await store.close();
  },
  PROCESS_TEST_TIMEOUT,
);

/** What was made for the store, each with the transaction that did it; how often it says what it is. */
async function making(): Promise<{
  readonly tables: readonly { readonly name: string; readonly transaction: string }[];
  readonly about: number;
}> {
  return onPostgres(async (client) => {
    const { rows } = await client.query<{ name: string; transaction: string }>(
      `SELECT relname AS name, xmin::text AS transaction FROM pg_class
         WHERE relnamespace = '${schema}'::regnamespace
       UNION ALL
       SELECT proname, xmin::text FROM pg_proc WHERE pronamespace = '${schema}'::regnamespace
       ORDER BY 1`,
    );
    const about = await client.query(`SELECT FROM ${schema}.about`);
    return { tables: rows, about: about.rows.length };
  });
}

async function tables(): Promise<unknown> {
  const { rows } = await onPostgres((client) =>
    client.query('SELECT relname FROM pg_class WHERE relnamespace = $1::regnamespace ORDER BY 1', [
      schema,
    ]),
  );
  return rows;
}

describe('an event store of the first version', () => {
  it('learns to judge the heads of other streams, and keeps what nodes of before still use', async () => {
    const [stream, other] = [freshStream(), freshStream()];
    const first = await openPostgresEventStore(url, { namespace });
    await first.append(other, 'no-stream', [envelope()]);
    await first.close();
    const [inputs, judging] = [6, 9];
    const functions = async (): Promise<unknown[]> => {
      const { rows } = await onPostgres((client) =>
        client.query<{ pronargs: number }>(
          `SELECT pronargs FROM pg_proc WHERE pronamespace = '${schema}'::regnamespace
           AND proname = 'append' ORDER BY pronargs`,
        ),
      );
      return rows.map(({ pronargs }) => pronargs);
    };
    expect(await functions()).toEqual([judging]);
    await onPostgres((client) =>
      client.query(`UPDATE ${schema}.about SET version = 1;
        DROP FUNCTION ${schema}.append;
        CREATE FUNCTION ${schema}.append(text[], bigint[], integer[], text[], text[], text[])
          RETURNS void LANGUAGE sql AS ''`),
    );
    const store = await openPostgresEventStore(url, { namespace });
    expect(await functions()).toEqual([inputs, judging]);
    expect(await store.append(stream, 'no-stream', [envelope()], { [other]: 1 })).toEqual({
      ok: false,
      error: { code: 'basis-moved' },
    });
    expect((await store.append(stream, 'no-stream', [envelope()], { [other]: 0 })).ok).toBe(true);
    await store.close();
  });
});
