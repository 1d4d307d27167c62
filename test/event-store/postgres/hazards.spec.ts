import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import {
  openPostgresEventStore,
  type PostgresEventStore,
} from '../../../src/event-store/postgres/postgres-event-store.js';
import { EventStoreUnavailable, START } from '../../../src/event-store/port.js';
import { envelope, envelopes, freshStream } from '../../contracts/support/envelopes.js';
import {
  collect,
  idsOf,
  Reader,
  readEverything,
  value,
  within,
} from '../../contracts/support/reading.js';
import {
  dropNamespace,
  freshNamespace,
  onPostgres,
  postgresUrl,
} from '../../support/shared-postgres.js';

const PROMPT = 3_000;

let url: string;
let namespace: string;
let schema: string;
let store: PostgresEventStore;

beforeEach(async () => {
  url = await postgresUrl();
  namespace = freshNamespace();
  schema = `countersign_${namespace}`;
  store = await openPostgresEventStore(url, { namespace });
});

afterEach(async () => {
  await store.close();
  await dropNamespace(namespace);
});

/** Begins to append one event as another node does, and does not commit yet. */
async function beginAppend(client: pg.Client, id: string): Promise<void> {
  await client.query('BEGIN');
  await client.query(
    `SELECT * FROM ${schema}.append($1, ARRAY[-1], ARRAY[1], ARRAY['thing-happened'], $2, ARRAY['{}'],
       '{}', '{}', '{}')`,
    [[freshStream()], [id]],
  );
}

describe('a transaction that took its position earlier and commits later', () => {
  it('loses an event where a sequence gives the positions: the hazard is real', async () => {
    const table = `${schema}.naive`;
    await onPostgres(async (slow) => {
      await slow.query(`CREATE TABLE ${table} (position bigserial PRIMARY KEY, id text)`);
      await slow.query('BEGIN');
      await slow.query(`INSERT INTO ${table} (id) VALUES ('early')`);
      const seen: string[] = [];
      let checkpoint = 0;
      const readOn = async (): Promise<void> => {
        const { rows } = await onPostgres((reader) =>
          reader.query<{ position: string; id: string }>(
            `SELECT * FROM ${table} WHERE position > $1 ORDER BY position`,
            [checkpoint],
          ),
        );
        for (const { position, id } of rows) {
          seen.push(id);
          checkpoint = Number(position);
        }
      };
      await onPostgres((quick) => quick.query(`INSERT INTO ${table} (id) VALUES ('late')`));
      await readOn();
      await slow.query('COMMIT');
      await readOn();
      expect(seen).toEqual(['late']);
    });
  });

  it('holds the later ones back here, and no reader goes past it', async () => {
    const early = randomUUID();
    const late = envelope();
    const reader = new Reader(store.subscribeAll(START));
    await reader.untilCaughtUp();
    await onPostgres(async (slow) => {
      await beginAppend(slow, early);
      const appended = store.append(freshStream(), 'no-stream', [late]);
      const first = reader.next();
      await expect(within(300, Promise.race([appended, first]))).rejects.toThrow('not within');
      expect(await readEverything(store)).toEqual([]);
      await slow.query('COMMIT');
      value(await appended);
      const next = await first;
      const rest = next?.kind === 'event' ? [next.event] : [];
      expect(idsOf([...rest, ...(await reader.events(2 - rest.length))])).toEqual([early, late.id]);
    });
    await reader.stop();
  });

  it('leaves no gap when it is given up', async () => {
    await onPostgres(async (slow) => {
      await beginAppend(slow, randomUUID());
      const appended = store.append(freshStream(), 'no-stream', envelopes(2));
      await delay(50);
      await slow.query('ROLLBACK');
      expect(value(await appended).position).toBe('00000000000000000002');
    });
  });

  it('is not waited for longer than the patience of the store', async () => {
    const hasty = await openPostgresEventStore(url, { namespace, patienceMs: 200 });
    await onPostgres(async (slow) => {
      await beginAppend(slow, randomUUID());
      const appended = hasty.append(freshStream(), 'no-stream', [envelope()]);
      await expect(within(PROMPT, appended)).rejects.toThrow(/held a lock for too long/);
      await slow.query('ROLLBACK');
    });
    expect((await hasty.append(freshStream(), 'no-stream', [envelope()])).ok).toBe(true);
    await hasty.close();
  });
});

describe('an open transaction', () => {
  it('in another database of the cluster holds nobody up', async () => {
    const other = `other_${randomUUID().replaceAll('-', '')}`;
    await onPostgres((client) => client.query(`CREATE DATABASE ${other}`));
    const address = new URL(url);
    address.pathname = `/${other}`;
    await onPostgres(async (open) => {
      await open.query('BEGIN');
      await open.query('CREATE TABLE held (n int)');
      await open.query('SELECT txid_current()');
      await expectPromptReaders();
      await open.query('ROLLBACK');
    }, address.href);
    await onPostgres((client) => client.query(`DROP DATABASE ${other}`));
  });

  it('in this database that reads or writes elsewhere holds nobody up', async () => {
    await onPostgres(async (open) => {
      await open.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      await open.query(`SELECT count(*) FROM ${schema}.events`);
      await open.query('SELECT txid_current()');
      await expectPromptReaders();
      await open.query('ROLLBACK');
    });
  });

  async function expectPromptReaders(): Promise<void> {
    const reader = new Reader(store.subscribeAll(START));
    await reader.untilCaughtUp();
    for (let n = 0; n < 5; n++) {
      const event = envelope();
      const through = n % 2 === 0 ? store : await openPostgresEventStore(url, { namespace });
      value(await within(PROMPT, through.append(freshStream(), 'no-stream', [event])));
      expect(idsOf(await within(PROMPT, reader.events(1)))).toEqual([event.id]);
      expect(idsOf(await readEverything(store)).at(-1)).toBe(event.id);
      if (through !== store) await through.close();
    }
    await reader.stop();
  }
});

describe('texts that PostgreSQL cannot hold', () => {
  it.each(['interaction-a\u0000b', 'interaction-\ud800'])(
    'name no stream, and none is begun: %j',
    async (stream) => {
      await store.append('interaction-\ufffd', 'no-stream', [envelope()]);
      expect(await store.readStream(stream)).toEqual([]);
      expect(await collect(store.readAll(START, { streamPrefixes: [stream] }))).toEqual([]);
      const neighbour = store.append(freshStream(), 'no-stream', [envelope()]);
      await expect(store.append(stream, 'no-stream', [envelope()])).rejects.toThrow(TypeError);
      await expect(
        store.append(freshStream(), 'no-stream', [envelope({ type: 'a\u0000b' })]),
      ).rejects.toThrow(TypeError);
      expect((await neighbour).ok).toBe(true);
    },
  );

  it('may be in bodies', async () => {
    const stream = freshStream();
    const data = { 'k\u0000': 'v\u0000\ud800', big: 1e21, precise: 0.1, text: '\\u0000' };
    await store.append(stream, 'no-stream', [envelope({ data })]);
    const [event] = await store.readStream(stream);
    expect(event?.data).toEqual(data);
  });
});

describe('stream names', () => {
  it('differ where their bytes do', async () => {
    const names = [
      'a',
      'A',
      'ä',
      'a\u0308',
      'a ',
      ' a',
      'a-b',
      'ab',
      "a'b",
      'a\\b',
      'a,b',
      '{a}',
      'NULL',
      '"',
    ];
    for (const name of names) value(await store.append(name, 'no-stream', [envelope()]));
    for (const name of names) expect(await store.readStream(name)).toHaveLength(1);
    const found = await collect(store.readAll(START, { streamPrefixes: ['a'] }));
    expect(found.map(({ stream }) => stream)).toEqual(names.filter((name) => name.startsWith('a')));
  });
});

describe('a log that was cut', () => {
  it('is refused to readers who have seen more, also while they wait', async () => {
    const reader = new Reader(store.subscribeAll(START));
    value(await store.append(freshStream(), 'no-stream', envelopes(3)));
    await reader.events(3);
    await reader.next();
    const next = reader.next();
    // What was waited for is refused even if it was asked for before.
    const outcome = expect(within(PROMPT, next)).rejects.toThrow(EventStoreUnavailable);
    await onPostgres((client) => client.query(`DELETE FROM ${schema}.events WHERE position > 1`));
    await outcome;
  });
});

describe('a damaged event', () => {
  it('is a fault of the store that names it', async () => {
    const event = envelope();
    const stream = freshStream();
    await store.append(stream, 'no-stream', [event]);
    await onPostgres((client) => client.query(`UPDATE ${schema}.events SET body = left(body, 9)`));
    await expect(store.readStream(stream)).rejects.toThrow(EventStoreUnavailable);
    await expect(readEverything(store)).rejects.toThrow(event.id);
  });
});
