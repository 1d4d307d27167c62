import { inspect } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  openPostgresEventStore,
  type PostgresEventStore,
} from '../../../src/event-store/postgres/postgres-event-store.js';
import { EventStoreUnavailable, START } from '../../../src/event-store/port.js';
import { effort } from '../../contracts/support/effort.js';
import { envelope, envelopes, freshStream } from '../../contracts/support/envelopes.js';
import { idsOf, Reader, readEverything, value, within } from '../../contracts/support/reading.js';
import {
  dropNamespace,
  freshNamespace,
  onPostgres,
  postgresUrl,
} from '../../support/shared-postgres.js';
import { TcpProxy } from '../../support/tcp-proxy.js';

const PROMPT = 5_000;
const PASSWORD = 'a-password-that-nobody-may-see';

let url: string;
let namespace: string;
let proxy: TcpProxy;
let store: PostgresEventStore;
let faults: unknown[];
let others: PostgresEventStore[];

beforeEach(async () => {
  url = await postgresUrl();
  namespace = freshNamespace();
  proxy = await TcpProxy.to(url);
  faults = [];
  others = [];
  store = await openPostgresEventStore(proxy.through(url), {
    namespace,
    patienceMs: 1_000,
    onFault: (fault) => faults.push(fault),
  });
});

afterEach(async () => {
  await proxy.close();
  for (const each of [store, ...others]) await each.close();
  await dropNamespace(namespace);
});

/** Ends all connections of the server but the one that asks. */
async function terminate(condition = 'true'): Promise<number> {
  const { rowCount } = await onPostgres((client) =>
    client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE pid <> pg_backend_pid() AND application_name = 'countersign' AND ${condition}`,
    ),
  );
  return rowCount ?? 0;
}

describe('an append whose connection breaks', () => {
  it('is unavailable, not lost and not doubled: the same append again finds out', async () => {
    const stream = freshStream();
    value(await store.append(stream, 'no-stream', [envelope()]));
    const events = envelopes(2);
    // Others have been told of the first one by then.
    await delay(100);
    proxy.cutAnswers();
    await expect(store.append(stream, 0, events)).rejects.toThrow(EventStoreUnavailable);
    // It was stored, for all that the answer was lost.
    const again = value(await store.append(stream, 0, events));
    expect(again.revision).toBe(2);
    expect(await store.readStream(stream)).toHaveLength(3);
  });

  it('may break at any moment, again and again', async () => {
    let going = true;
    const breaking = (async () => {
      for (let n = 0; going; n++) {
        await delay(20 + Math.random() * 60);
        if (n % 2 === 0) proxy.cut();
        else await terminate();
      }
    })();
    const streams = Array.from({ length: 8 }, () => freshStream());
    const reader = new Reader(store.subscribeAll(START));
    let retries = 0;
    const sent = await Promise.all(
      streams.map(async (stream) => {
        const ids: string[] = [];
        // Until one of them was hit, which chance decides.
        for (let n = 0; n < effort(20, 200) || (retries === 0 && n < 1000); n++) {
          const event = envelope();
          for (;;) {
            try {
              value(await store.append(stream, n === 0 ? 'no-stream' : n - 1, [event]));
              break;
            } catch (error) {
              expect(error).toBeInstanceOf(EventStoreUnavailable);
              retries++;
            }
          }
          ids.push(event.id);
          await delay(Math.random() * 20);
        }
        return ids;
      }),
    );
    going = false;
    await breaking;
    await delay(100);
    expect(retries).toBeGreaterThan(0);
    const everything = await readEverything(store);
    for (const [index, stream] of streams.entries()) {
      expect(idsOf(everything.filter((event) => event.stream === stream))).toEqual(sent[index]);
    }
    const followed = await within(2 * PROMPT, reader.events(everything.length));
    expect(idsOf(followed)).toEqual(idsOf(everything));
    await reader.stop();
  });
});

describe('the connection that listens', () => {
  async function follow(pollMs: number): Promise<Reader> {
    const listening = await openPostgresEventStore(proxy.through(url), {
      namespace,
      pollMs,
      patienceMs: 1_000,
      onFault: (fault) => faults.push(fault),
    });
    others.push(listening);
    const reader = new Reader(listening.subscribeAll(START));
    await reader.untilCaughtUp();
    return reader;
  }

  /** Waits, has something done to the connection that listens, and then hears of another's commit. */
  async function hears(
    reader: Reader,
    disturb: () => Promise<void> = async () => undefined,
  ): Promise<void> {
    const heard = reader.events(1);
    await delay(200);
    await disturb();
    const direct = await openPostgresEventStore(url, { namespace });
    const event = envelope();
    value(await direct.append(freshStream(), 'no-stream', [event]));
    await direct.close();
    expect(idsOf(await within(4 * PROMPT, heard))).toEqual([event.id]);
  }

  it('hears of commits of others without looking for them', async () => {
    const reader = await follow(60_000);
    await hears(reader);
    await hears(reader);
  });

  it('looks for commits of which nobody told', async () => {
    const reader = await follow(100);
    const id = freshStream();
    const heard = reader.events(1);
    await delay(200);
    await onPostgres((client) =>
      client.query(
        `SELECT countersign_${namespace}.append(ARRAY['s'], ARRAY[-1], ARRAY[1], ARRAY['t'], $1, ARRAY['{}'], '{}', '{}', '{}')`,
        [[id]],
      ),
    );
    expect(idsOf(await within(PROMPT, heard))).toEqual([id]);
  });

  it('is replaced when the server ends it', async () => {
    const reader = await follow(60_000);
    await hears(reader, async () => {
      expect(await terminate("query LIKE '%newest() AS head%'")).toBeGreaterThan(0);
    });
    expect(faults).not.toEqual([]);
    expect(faults.every((fault) => fault instanceof EventStoreUnavailable)).toBe(true);
  });

  it('is replaced when nothing comes through any more, and nobody says so', async () => {
    const reader = await follow(100);
    await hears(reader, async () => {
      proxy.freeze();
    });
  });
});

describe('a server that is not there', () => {
  it('is said at the start, in words and without the password', async () => {
    proxy.down();
    const bad = new URL(proxy.through(url));
    bad.password = PASSWORD;
    await expectReadable(bad.href, /cannot be reached|does not answer|lost/);
    bad.port = '1';
    await expectReadable(bad.href, /cannot be reached \(ECONNREFUSED\)/);
    proxy.up();
  });

  it('is said when it refuses the password, or has no such database', async () => {
    const bad = new URL(url);
    bad.password = PASSWORD;
    await expectReadable(bad.href, /refuses this user or password/);
    const missing = new URL(url);
    missing.pathname = '/no-such-database';
    await expectReadable(missing.href, /no such database/);
  });

  it.each([`mysql://u:${PASSWORD}@h/d`, `not a url ${PASSWORD}`, `postgres//${PASSWORD}`])(
    'is said when that is no URL of one',
    async (other) => {
      await expectReadable(other, /no postgres:\/\/ URL/);
    },
  );

  it('is said of calls under way, and of later ones until it is back', async () => {
    const stream = freshStream();
    value(await store.append(stream, 'no-stream', [envelope()]));
    proxy.down();
    const calls: readonly Promise<unknown>[] = [
      store.append(stream, 0, [envelope()]),
      store.readStream(stream),
      store.head(),
      readEverything(store),
    ];
    for (const outcome of await within(PROMPT, Promise.allSettled(calls))) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: expect.any(EventStoreUnavailable),
      });
    }
    proxy.up();
    expect(await store.readStream(stream)).toHaveLength(1);
  });

  it('is said when it answers nothing at all', async () => {
    proxy.freeze();
    await expect(within(2 * PROMPT, store.head())).rejects.toThrow(/does not answer/);
  });

  async function expectReadable(bad: string, reason: RegExp): Promise<void> {
    const opened = openPostgresEventStore(bad, { namespace, patienceMs: 1_000 });
    const error: unknown = await opened.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(EventStoreUnavailable);
    expect((error as Error).message).toMatch(reason);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(PASSWORD);
  }
});

describe('the connections of a store', () => {
  it('are few, however much is asked at once, and end with it', async () => {
    const name = freshNamespace();
    const marked = new URL(url);
    marked.searchParams.set('application_name', name);
    const busy = await openPostgresEventStore(marked.href, { namespace });
    const count = async (): Promise<number> => {
      const { rows } = await onPostgres((client) =>
        client.query<{ n: string }>(
          'SELECT count(*) AS n FROM pg_stat_activity WHERE application_name = $1',
          [name],
        ),
      );
      return Number(rows[0]?.n);
    };
    const reader = new Reader(busy.subscribeAll(START));
    await reader.untilCaughtUp();
    const reads = Array.from({ length: 200 }, () => busy.readStream(freshStream()));
    expect(await count()).toBeLessThanOrEqual(6);
    await Promise.all(reads);
    await busy.close();
    await delay(100);
    expect(await count()).toBe(0);
  });

  it('write durably, whatever the role or the URL has set', async () => {
    const careless = new URL(url);
    careless.searchParams.set(
      'options',
      '-c synchronous_commit=off -c default_transaction_isolation=serializable',
    );
    const other = await openPostgresEventStore(careless.href, { namespace });
    expect(await other.unsafeSettings()).toEqual([]);
    await other.close();
  });
});
