import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { EventStoreUnavailable } from '../../../src/event-store/port.js';
import {
  openSqliteEventStore,
  type SqliteEventStore,
} from '../../../src/event-store/sqlite/sqlite-event-store.js';
import { envelope, envelopes, freshStream } from '../../contracts/support/envelopes.js';
import {
  collect,
  idsOf,
  positionsOf,
  readEverything,
  value,
} from '../../contracts/support/reading.js';
import { START } from '../../../src/event-store/port.js';
import { commitsInLog } from './wal.js';

let folder: string;
let path: string;
let store: SqliteEventStore;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-events-'));
  path = join(folder, 'events.db');
  store = await openSqliteEventStore(path);
});

afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

/** Works on the file as another program would. */
async function elsewhere(
  work: (database: Database.Database) => Promise<void> | void,
): Promise<void> {
  const database = new Database(path);
  await work(database);
  database.close();
}

describe('appends that arrive together', () => {
  it.each([
    [1, 1],
    [64, 1],
    [65, 2],
    [200, 4],
  ])('%i of them share commits: %i', async (appends, commits) => {
    const before = commitsInLog(path);
    await Promise.all(
      Array.from({ length: appends }, () => store.append(freshStream(), 'no-stream', [envelope()])),
    );
    expect(commitsInLog(path) - before).toBe(commits);
  });

  it('share one commit when they come in one turn of the event loop, one after the other', async () => {
    const before = commitsInLog(path);
    await Promise.all(
      Array.from({ length: 30 }, async (_, awaits) => {
        for (let n = 0; n < awaits; n++) await Promise.resolve();
        return store.append(freshStream(), 'no-stream', [envelope()]);
      }),
    );
    expect(commitsInLog(path) - before).toBe(1);
  });

  it('fail alone when the engine takes no part of one, and leave none of it behind', async () => {
    const streams = Array.from({ length: 5 }, () => freshStream());
    const bad = [envelope(), envelope({ type: null as never })];
    const outcomes = await Promise.allSettled(
      streams.map((stream, index) =>
        store.append(stream, 'no-stream', index === 2 ? bad : [envelope()]),
      ),
    );
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    const stored = (await readEverything(store)).map(({ stream }) => stream);
    expect(stored).toEqual(streams.filter((_, index) => index !== 2));
  });
});

describe('a lock held by another program', () => {
  it('is waited for, while the event loop goes on, and then all waiting appends share a commit', async () => {
    let turns = 0;
    await elsewhere(async (database) => {
      database.exec('BEGIN IMMEDIATE');
      const appends = Array.from({ length: 30 }, () =>
        store.append(freshStream(), 'no-stream', [envelope()]),
      );
      for (let n = 0; n < 10; n++) {
        await delay(5);
        turns++;
      }
      const before = commitsInLog(path);
      database.exec('ROLLBACK');
      const outcomes = await Promise.all(appends);
      expect(outcomes.every(({ ok }) => ok)).toBe(true);
      expect(commitsInLog(path) - before).toBe(1);
    });
    expect(turns).toBe(10);
  });

  it('is given up after a while, and nothing was stored', async () => {
    const impatient = await openSqliteEventStore(path, { patienceMs: 300 });
    const stream = freshStream();
    await elsewhere(async (database) => {
      database.exec('BEGIN IMMEDIATE');
      const early = impatient.append(stream, 'no-stream', [envelope()]);
      const late = delay(200).then(() => impatient.append(stream, 'no-stream', [envelope()]));
      await expect(early).rejects.toThrow(EventStoreUnavailable);
      // Who came later waits for a while of its own.
      database.exec('ROLLBACK');
      expect((await late).ok).toBe(true);
    });
    expect(await impatient.readStream(stream)).toHaveLength(1);
    await impatient.close();
  });

  it('does not stand in the way of readers', async () => {
    const stream = freshStream();
    await store.append(stream, 'no-stream', envelopes(3));
    await elsewhere(async (database) => {
      database.exec('BEGIN EXCLUSIVE');
      expect(await store.readStream(stream)).toHaveLength(3);
      expect(await readEverything(store)).toHaveLength(3);
      database.exec('ROLLBACK');
    });
  });
});

describe('deleted events', () => {
  it('never give their positions to others', async () => {
    await store.append(freshStream(), 'no-stream', envelopes(3));
    const head = await store.head();
    await elsewhere((database) => void database.exec('DELETE FROM events WHERE position > 1'));
    expect(await store.head()).toBe(head);
    const { position } = value(await store.append(freshStream(), 'no-stream', [envelope()]));
    expect(position > head).toBe(true);
  });

  it('leave gaps that readers pass over, however wide', async () => {
    for (let n = 0; n < 4; n++) await store.append(freshStream(), 'no-stream', envelopes(500));
    const everything = await readEverything(store);
    await elsewhere((database) => {
      database.exec('DELETE FROM events WHERE position BETWEEN 11 AND 1990');
      database.exec('UPDATE sqlite_sequence SET seq = 900000000');
    });
    const { position } = value(await store.append(freshStream(), 'no-stream', [envelope()]));
    const rest = await readEverything(store);
    expect(positionsOf(rest)).toEqual([
      ...positionsOf([...everything.slice(0, 10), ...everything.slice(1_990)]),
      position,
    ]);
    const none = await collect(store.readAll(START, { types: ['no-such-type'] }));
    expect(idsOf(none)).toEqual([]);
  });
});

describe('a damaged event', () => {
  it('is a fault of the store that names it', async () => {
    const event = envelope();
    const stream = freshStream();
    await store.append(stream, 'no-stream', [event]);
    await elsewhere((database) => void database.exec('UPDATE events SET body = substr(body, 9)'));
    // Whoever wrote it may still remember it.
    const fresh = await openSqliteEventStore(path);
    await expect(fresh.readStream(stream)).rejects.toThrow(EventStoreUnavailable);
    await expect(readEverything(fresh)).rejects.toThrow(event.id);
    await fresh.close();
  });
});
