import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  isKeyStoreOfLog,
  KEY_STORE_STREAM,
  type KeyStoreChosen,
} from '../../src/event-store/key-store-of-log.js';
import {
  openSqliteEventStore,
  type SqliteEventStore,
} from '../../src/event-store/sqlite/sqlite-event-store.js';
import {
  openSqliteKeyStore,
  type SqliteKeyStore,
} from '../../src/event-store/sqlite/sqlite-key-store.js';

let folder: string;
let log: SqliteEventStore;
let [ours, theirs]: SqliteKeyStore[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-key-store-'));
  log = await openSqliteEventStore(join(folder, 'events.db'));
  ours = await openSqliteKeyStore(join(folder, 'ours.db'), { randomBytes });
  theirs = await openSqliteKeyStore(join(folder, 'theirs.db'), { randomBytes });
});

afterEach(async () => {
  for (const store of [log, ours, theirs]) await store?.close();
  await rm(folder, { recursive: true });
});

const isOfLog = (keys = ours): Promise<boolean> =>
  isKeyStoreOfLog(keys!, log, { clock: Date.now, random: randomBytes });

describe('the key store of a log', () => {
  it('is the one that it was begun with, and stays it', async () => {
    expect([await isOfLog(), await isOfLog(theirs), await isOfLog()]).toEqual([true, false, true]);
    expect(await log.readStream(KEY_STORE_STREAM)).toHaveLength(1);
  });

  it('is one, when nodes begin the log at once', async () => {
    const stores = [ours, theirs, ours, theirs];
    const answers = await Promise.all(stores.map((keys) => isOfLog(keys)));
    expect(answers).toEqual(answers[0] ? [true, false, true, false] : [false, true, false, true]);
    expect(await log.readStream(KEY_STORE_STREAM)).toHaveLength(1);
  });

  it('is known by another process from the same file', async () => {
    expect(await isOfLog()).toBe(true);
    const again = await openSqliteKeyStore(join(folder, 'ours.db'), { randomBytes });
    expect(await isOfLog(again)).toBe(true);
    await again.close();
  });

  it('is none whose own key was destroyed', async () => {
    await ours?.destroy(KEY_STORE_STREAM);
    expect(await isOfLog()).toBe(false);
    expect(await log.readStream(KEY_STORE_STREAM)).toEqual([]);
  });

  it('shows nothing of a key in the log', async () => {
    await isOfLog();
    const key = Buffer.from((await ours?.find(KEY_STORE_STREAM)) as Uint8Array);
    const [event] = await log.readStream(KEY_STORE_STREAM);
    const { fingerprint } = event?.data as KeyStoreChosen['data'];
    expect(Buffer.from(fingerprint, 'base64url')).toHaveLength(32);
    for (const encoding of ['hex', 'base64', 'base64url'] as const) {
      expect(JSON.stringify(event)).not.toContain(key.toString(encoding));
    }
  });
});
