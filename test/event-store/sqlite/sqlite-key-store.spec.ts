import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import type { DataKey } from '../../../src/event-store/key-store.js';
import { EventStoreUnavailable } from '../../../src/event-store/port.js';
import {
  openSqliteKeyStore,
  type SqliteKeyStore,
} from '../../../src/event-store/sqlite/sqlite-key-store.js';
import { describeKeyStore } from '../../contracts/key-store.js';
import { freshStream } from '../../contracts/support/envelopes.js';
import { eventually } from '../../support/eventually.js';
import { makeSqliteKeys } from './key-store-fixture.js';
import { commitsInLog } from './wal.js';

describeKeyStore('SQLite', makeSqliteKeys);

describe('the key store file', () => {
  let folder: string;
  let path: string;
  let store: SqliteKeyStore;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-keys-'));
    path = join(folder, 'keys.db');
    store = await openSqliteKeyStore(path, { randomBytes, patienceMs: 300 });
  });

  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });

  async function obtainKey(scope: string): Promise<DataKey> {
    const key = await store.obtain(scope);
    if (key === 'erased') throw new Error('erased');
    return key;
  }

  it('gets many keys with few commits, and none for keys that are there', async () => {
    const scopes = Array.from({ length: 128 }, () => freshStream());
    const before = commitsInLog(path);
    await Promise.all(scopes.map((scope) => store.obtain(scope)));
    expect(commitsInLog(path) - before).toBe(2);
    await Promise.all(scopes.map((scope) => store.obtain(scope)));
    expect(commitsInLog(path) - before).toBe(2);
  });

  it('holds no byte of a destroyed key, neither in itself nor in its log', async () => {
    const scopes = Array.from({ length: 900 }, () => freshStream());
    const keys = await Promise.all(scopes.slice(0, 600).map(obtainKey));
    expect(await keysOnDisk(keys)).toHaveLength(600);
    const doomed = scopes.map((_, index) => index).filter((index) => index % 3 !== 1);
    await Promise.all(doomed.slice(0, 200).map((index) => store.destroy(scopes[index] ?? '')));
    keys.push(...(await Promise.all(scopes.slice(600).map(obtainKey))));
    await Promise.all(doomed.slice(200).map((index) => store.destroy(scopes[index] ?? '')));
    const destroyed = doomed.map((index) => keys[index] ?? new Uint8Array());
    expect(await keysOnDisk(destroyed)).toEqual([]);
    expect(await keysOnDisk(keys)).toHaveLength(300);
  });

  /** Those of the keys whose bytes are in any file of the folder. */
  async function keysOnDisk(keys: readonly DataKey[]): Promise<DataKey[]> {
    const files = await readdir(folder);
    const contents = await Promise.all(files.map((file) => readFile(join(folder, file))));
    // A quarter of a key would be too much as well.
    return keys.filter((key) =>
      contents.some((bytes) => bytes.includes(Buffer.from(key.subarray(8, 16)))),
    );
  }

  it('does not say that a key is destroyed while its bytes cannot be removed', async () => {
    const scope = freshStream();
    await store.obtain(scope);
    const reader = new Database(path);
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM keys').get();
    await expect(store.destroy(scope)).rejects.toThrow(EventStoreUnavailable);
    expect(await store.obtain(scope)).toBe('erased');
    reader.exec('COMMIT');
    reader.close();
    await store.destroy(scope);
    expect(await store.find(scope)).toBe('erased');
  });

  it('loses the bytes of a destroyed key without a further call, once nobody reads on', async () => {
    const scope = freshStream();
    const key = await obtainKey(scope);
    const reader = new Database(path);
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM keys').get();
    await expect(store.destroy(scope)).rejects.toThrow(EventStoreUnavailable);
    reader.exec('COMMIT');
    reader.close();
    expect(await keysOnDisk([key])).toEqual([key]);
    await eventually(async () => (await keysOnDisk([key])).length === 0, 15_000);
  }, 20_000);

  it('gives every key back also when there are more than are remembered', async () => {
    const scopes = Array.from({ length: 11_000 }, (_, n) => `scope-${String(n)}`);
    const made = await Promise.all(scopes.map((scope) => obtainKey(scope)));
    for (const [n, scope] of scopes.entries()) {
      const found = await store.find(scope);
      expect(Buffer.compare(found as Uint8Array, made[n] ?? new Uint8Array())).toBe(0);
    }
  });

  it('takes no key of another length', async () => {
    const short = await openSqliteKeyStore(join(folder, 'short.db'), {
      randomBytes: () => randomBytes(16),
    });
    await expect(short.obtain('scope')).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_CHECK' });
    expect(await short.find('scope')).toBeUndefined();
    await short.close();
  });
});
