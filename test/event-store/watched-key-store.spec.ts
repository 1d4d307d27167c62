import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventStoreUnavailable } from '../../src/event-store/port.js';
import { openSqliteKeyStore } from '../../src/event-store/sqlite/sqlite-key-store.js';
import { WatchedKeyStore } from '../../src/event-store/watched-key-store.js';
import { keyStoreHealth } from '../../src/http/health/sources.js';
import { ERASED } from '../../src/kernel/event.js';

let folder: string;
let path: string;
let keys: WatchedKeyStore;
let now = 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-watched-'));
  path = join(folder, 'keys.db');
  const inner = await openSqliteKeyStore(path, { randomBytes, patienceMs: 20 });
  keys = new WatchedKeyStore(inner, () => now);
});

afterEach(async () => {
  await keys.close();
  await rm(folder, { recursive: true });
});

/** While another connection holds the file so. */
async function whileHeld(by: string, run: () => Promise<void>): Promise<void> {
  const other = new Database(path);
  other.exec(by);
  try {
    await run();
  } finally {
    other.close();
  }
}

/** Nobody else can write meanwhile; everybody reads. */
const whileLocked = (run: () => Promise<void>): Promise<void> => whileHeld('BEGIN IMMEDIATE', run);

const isHealthy = async (): Promise<boolean> => {
  const { healthy, details } = await keyStoreHealth(keys, 'sqlite').check();
  expect(details['canWrite']).toBe(healthy);
  return healthy;
};

describe('a key store that is read but cannot be written', () => {
  it('is not healthy until a new key is kept', async () => {
    expect(await isHealthy()).toBe(true);
    await whileLocked(async () => {
      await expect(keys.obtain('new')).rejects.toThrow(EventStoreUnavailable);
    });
    expect(await isHealthy()).toBe(false);
    await keys.obtain('new');
    expect(await isHealthy()).toBe(true);
  });

  it('is named by the fault', async () => {
    await whileLocked(async () => {
      await expect(keys.obtain('new')).rejects.toThrow(/^KEY_STORE: /);
      await expect(keys.destroy('new')).rejects.toThrow(/^KEY_STORE: /);
    });
  });

  it('gives the keys that it has, which is no sign that it takes new ones', async () => {
    const old = await keys.obtain('old');
    await whileLocked(async () => {
      await expect(keys.obtain('new')).rejects.toThrow(EventStoreUnavailable);
      expect(await keys.obtain('old')).toEqual(old);
    });
    expect(await isHealthy()).toBe(false);
  });

  it('is not healthy either after a key could not be destroyed', async () => {
    await keys.obtain('old');
    await whileLocked(async () => {
      await expect(keys.destroy('old')).rejects.toThrow(EventStoreUnavailable);
    });
    expect(await isHealthy()).toBe(false);
    await keys.destroy('old');
    expect(await isHealthy()).toBe(true);
  });

  it('is tried again after a while, since a node without writes could not clear itself', async () => {
    await whileLocked(async () => {
      await expect(keys.obtain('new')).rejects.toThrow(EventStoreUnavailable);
    });
    now += 29_999;
    expect(keys.canWrite).toBe(false);
    now += 1;
    expect(keys.canWrite).toBe(true);
  });
});

describe('a destroyed key whose old bytes somebody’s reading keeps', () => {
  it('is no failed write', async () => {
    await keys.obtain('old');
    await whileHeld('BEGIN; SELECT count(*) FROM keys', async () => {
      await expect(keys.destroy('old')).rejects.toThrow(/^KEY_STORE: /);
      expect(await keys.find('old')).toBe(ERASED);
      expect(await isHealthy()).toBe(true);
    });
  });
});
