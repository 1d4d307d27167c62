import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventStoreUnavailable } from '../../src/event-store/port.js';
import { openSqliteEventStore } from '../../src/event-store/sqlite/sqlite-event-store.js';
import { WatchedEventStore, WatchedTaskStore } from '../../src/event-store/watched-event-store.js';
import { eventStoreHealth } from '../../src/http/health/sources.js';
import { envelope } from '../contracts/support/envelopes.js';

let folder: string;
let path: string;
let store: WatchedEventStore;
let now = 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-watched-'));
  path = join(folder, 'events.db');
  store = new WatchedEventStore(await openSqliteEventStore(path, { patienceMs: 20 }), () => now);
});

afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

/** Nobody else can write meanwhile. */
async function whileLocked(run: () => Promise<void>): Promise<void> {
  const other = new Database(path);
  other.exec('BEGIN IMMEDIATE');
  try {
    await run();
  } finally {
    other.close();
  }
}

const append = (): Promise<unknown> =>
  store.append(`stream-${crypto.randomUUID()}`, 'no-stream', [envelope()]);

describe('a log that is read but cannot be written', () => {
  it('is not healthy until a write succeeds', async () => {
    const health = eventStoreHealth(store, 'sqlite');
    expect(await health.check()).toMatchObject({ healthy: true });
    await whileLocked(async () => {
      await expect(append()).rejects.toThrow(EventStoreUnavailable);
    });
    expect(await health.check()).toMatchObject({ healthy: false });
    await append();
    expect(await health.check()).toMatchObject({ healthy: true });
  });

  it('is tried again after a while, since a node without writes could not clear itself', async () => {
    await whileLocked(async () => {
      await expect(append()).rejects.toThrow(EventStoreUnavailable);
    });
    now += 29_999;
    expect(store.canWrite).toBe(false);
    now += 1;
    expect(store.canWrite).toBe(true);
  });

  it('is named by the fault', async () => {
    await whileLocked(async () => {
      await expect(append()).rejects.toThrow(/^EVENT_STORE: /);
    });
  });
});

describe('a store of tasks that is read but cannot be written', () => {
  it('is not healthy until a write succeeds, and is named by the fault', async () => {
    const inner = await openSqliteEventStore(path, { patienceMs: 20 });
    const tasks = new WatchedTaskStore(inner, () => now);
    const health = eventStoreHealth(tasks, 'sqlite', 'task-store');
    expect(health.name).toBe('task-store');
    const write = (): Promise<unknown> =>
      tasks.append(`stream-${crypto.randomUUID()}`, 'no-stream', [envelope()]);
    await whileLocked(async () => {
      await expect(write()).rejects.toThrow(/^TASK_STORE: /);
    });
    expect(await health.check()).toMatchObject({ healthy: false, details: { canWrite: false } });
    await write();
    expect(await health.check()).toMatchObject({ healthy: true });
    await tasks.close();
  });
});
