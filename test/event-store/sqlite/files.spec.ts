import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { EventStoreUnavailable } from '../../../src/event-store/port.js';
import { openSqliteEventStore } from '../../../src/event-store/sqlite/sqlite-event-store.js';
import { openSqliteKeyStore } from '../../../src/event-store/sqlite/sqlite-key-store.js';
import { Child } from '../../contracts/support/child.js';
import { PROCESS_TEST_TIMEOUT } from '../../contracts/support/effort.js';
import { envelope, freshStream } from '../../contracts/support/envelopes.js';
import type { AppenderTask } from '../../contracts/children/appender.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-files-'));
});

afterEach(async () => {
  await Child.killAll();
  await rm(folder, { recursive: true });
});

const kinds = [
  {
    kind: 'an event store',
    use: async (path: string) => {
      const store = await openSqliteEventStore(path);
      await store.append(freshStream(), 'no-stream', [envelope()]);
      return store;
    },
    table: 'events',
    timesKept: (uses: number) => uses,
  },
  {
    kind: 'a key store',
    use: async (path: string) => {
      const store = await openSqliteKeyStore(path, { randomBytes });
      await store.obtain('interaction-1');
      return store;
    },
    table: 'keys',
    timesKept: () => 1,
  },
];

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

describe.each(kinds)('the file of $kind', ({ use, table, timesKept }) => {
  it('is made with the folders above it, for its owner alone', async () => {
    const path = join(folder, 'a', 'b', 'store.db');
    const store = await use(path);
    expect(await modeOf(path)).toBe('600');
    expect(await modeOf(`${path}-wal`)).toBe('600');
    expect(await modeOf(`${path}-shm`)).toBe('600');
    expect(await modeOf(join(folder, 'a'))).toBe('700');
    await store.close();
  });

  it('is taken from everybody else when it was open to them', async () => {
    const path = join(folder, 'store.db');
    await (await use(path)).close();
    await chmod(path, 0o644);
    const store = await use(path);
    expect(await modeOf(path)).toBe('600');
    expect(await modeOf(`${path}-wal`)).toBe('600');
    await store.close();
  });

  it('may be an empty one', async () => {
    const path = join(folder, 'store.db');
    await writeFile(path, '');
    await (await use(path)).close();
    expect((await stat(path)).size).toBeGreaterThan(0);
  });

  it('may be opened many times at once while it does not exist', async () => {
    const path = join(folder, 'store.db');
    const stores = await Promise.all(Array.from({ length: 6 }, () => use(path)));
    for (const store of stores) await store.close();
    const database = new Database(path, { readonly: true });
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    const kept = database.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
    expect(kept).toBe(timesKept(6));
    database.close();
  });

  const foreign: readonly [string, (database: Database.Database) => void, RegExp][] = [
    [
      'of a later schema version',
      (database) => void database.pragma('user_version = 99'),
      /schema version 99 .* knows only version 1/,
    ],
    [
      'of another program',
      (database) => void database.pragma('application_id = 123'),
      /is a database, but no/,
    ],
    [
      'of a program that gives no name',
      (database) => {
        database.pragma('application_id = 0');
        database.pragma('user_version = 0');
      },
      /is a database, but no/,
    ],
  ];
  it.each(foreign)('is refused when it is %s, and left as it was', async (_, change, reason) => {
    const path = join(folder, 'store.db');
    await (await use(path)).close();
    const database = new Database(path);
    database.pragma('journal_mode = DELETE');
    change(database);
    database.close();
    const before = await readFile(path);
    const opened = use(path);
    await expect(opened).rejects.toThrow(EventStoreUnavailable);
    await expect(opened).rejects.toThrow(reason);
    await expect(opened).rejects.toThrow(path);
    expect((await readFile(path)).equals(before)).toBe(true);
  });

  it('is refused when it is no database', async () => {
    const path = join(folder, 'store.db');
    await writeFile(path, 'a text of some length that is no database at all\n'.repeat(100));
    await expect(use(path)).rejects.toThrow(/not a database/);
    await expect(use(path)).rejects.toThrow(EventStoreUnavailable);
  });

  it('is refused when it is a folder, which stays as it was', async () => {
    const before = await modeOf(folder);
    await expect(use(folder)).rejects.toThrow(EventStoreUnavailable);
    expect(await modeOf(folder)).toBe(before);
  });
});

it('a key store and an event store do not take each other for themselves', async () => {
  const path = join(folder, 'store.db');
  await (await kinds[0]?.use(path))?.close();
  await expect(kinds[1]?.use(path)).rejects.toThrow(/is a database, but no key store/);
});

it(
  'several processes may make one file at the same time',
  async () => {
    const log = {
      module: new URL('./event-store-fixture.ts', import.meta.url).href,
      address: join(folder, 'events.db'),
    };
    const children = Array.from(
      { length: 3 },
      () =>
        new Child('appender.ts', {
          log,
          streams: [freshStream()],
          batches: 2,
        } satisfies AppenderTask),
    );
    await Promise.all(children.map((child) => child.finished()));
    const store = await openSqliteEventStore(log.address);
    expect(await store.head()).toBe('00000000000000000009');
    await store.close();
  },
  PROCESS_TEST_TIMEOUT,
);

it(
  'a second store in one process takes no lock from the first',
  async () => {
    const path = join(folder, 'events.db');
    const first = await openSqliteEventStore(path);
    const locks = await locksOn(path);
    const second = await openSqliteEventStore(path);
    expect(await locksOn(path)).toEqual(locks);
    // Another process that comes and goes must not take itself for the last one and clear away.
    const task: AppenderTask = {
      log: { module: new URL('./event-store-fixture.ts', import.meta.url).href, address: path },
      streams: [freshStream()],
      batches: 2,
    };
    await new Child('appender.ts', task).finished();
    const stream = freshStream();
    await first.append(stream, 'no-stream', [envelope()]);
    await new Child('appender.ts', { ...task, streams: [stream] }).finished();
    expect(await second.readStream(stream)).toHaveLength(4);
    await first.close();
    await second.close();
  },
  PROCESS_TEST_TIMEOUT,
);

/** The locks that are held on a file, where the system shows them. */
async function locksOn(path: string): Promise<string[]> {
  if (!existsSync('/proc/locks')) return [];
  const { ino } = await stat(path);
  const lines = (await readFile('/proc/locks', 'utf8')).split('\n');
  return lines
    .filter((line) => line.includes(`:${String(ino)} `))
    .map((line) => line.replace(/^\d+: /, ''));
}
