import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import {
  isKeyStoreOfLog,
  KEY_STORE_EVENT_TYPES,
  KEY_STORE_STREAM,
} from '../../src/event-store/key-store-of-log.js';
import { openSqliteEventStore } from '../../src/event-store/sqlite/sqlite-event-store.js';
import { openSqliteKeyStore } from '../../src/event-store/sqlite/sqlite-key-store.js';
import { expectSchemasToHold, readStored, type StoredLog } from './stored-log.js';

const log = readStored<StoredLog>(new URL('./key-store.json', import.meta.url));

it('the log holds every type of event', () => {
  const types = new Set(log.events.map(({ type }) => type));
  expect([...types].sort()).toEqual(Object.keys(KEY_STORE_EVENT_TYPES).sort());
});

it('matches the schemas of its events', () => {
  expectSchemasToHold(log, KEY_STORE_EVENT_TYPES);
});

it('knows the key store of then, and no other', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-golden-'));
  const store = await openSqliteEventStore(join(folder, 'events.db'));
  await store.append(KEY_STORE_STREAM, 'no-stream', log.events);
  const ofThen = Buffer.from(log.dataKeys?.[KEY_STORE_STREAM] ?? '', 'base64url');
  const answers: boolean[] = [];
  for (const key of [ofThen, randomBytes(32)]) {
    const file = join(folder, `keys-${String(answers.length)}.db`);
    const keys = await openSqliteKeyStore(file, { randomBytes: () => key });
    answers.push(await isKeyStoreOfLog(keys, store, { clock: Date.now, random: randomBytes }));
    await keys.close();
  }
  expect(answers).toEqual([true, false]);
  await store.close();
  await rm(folder, { recursive: true });
});
