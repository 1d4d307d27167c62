import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from '@jest/globals';
import { EventStoreUnavailable, type Position } from '../../../src/event-store/port.js';
import { openSqliteEventStore } from '../../../src/event-store/sqlite/sqlite-event-store.js';
import { describeDeleting } from '../../contracts/event-store/deleting.js';
import { envelope } from '../../contracts/support/envelopes.js';
import { makeSqliteLog } from './event-store-fixture.js';

describeDeleting(makeSqliteLog);

const SECRET = 'a-word-that-is-nowhere-else';

function isOnDisk(path: string): boolean {
  const folder = dirname(path);
  return readdirSync(folder).some((name) => readFileSync(join(folder, name)).includes(SECRET));
}

describe('the bytes of what was deleted', () => {
  it.each([100, 5_000, 300_000])('are in no file any more (%i characters)', async (length) => {
    const log = await makeSqliteLog();
    const store = await log.open();
    const path = log.elsewhere.address;
    const text = `${SECRET} `.repeat(Math.ceil(length / SECRET.length));
    const result = await store.append(`task-${SECRET}`, 'no-stream', [
      envelope({ data: { text } }),
      envelope({ data: { text } }),
    ]);
    const head = result.ok ? result.value.position : await store.head();
    expect(isOnDisk(path)).toBe(true);
    await store.append('task-other', 'no-stream', [envelope()]);

    await store.deleteStreams(new Map([[`task-${SECRET}`, head]]));
    expect(isOnDisk(path)).toBe(false);
    expect(await store.readStream('task-other')).toHaveLength(1);
    await log.dispose();
  });

  it('are in no file any more when they lay among others, of any size', async () => {
    const log = await makeSqliteLog();
    const store = await log.open();
    const heads = new Map<string, Position>();
    for (let round = 0; round < 6; round++) {
      await Promise.all(
        Array.from({ length: 50 }, async (_, index) => {
          const isSecret = index % 2 === 0;
          const text = `${isSecret ? SECRET : 'kept'} `.repeat(1 + ((index * 37 + round) % 97));
          const stream = `task-${isSecret ? SECRET : 'kept'}-${String(round)}-${String(index)}`;
          for (let revision = -1; revision < 2; revision++) {
            const expected = revision === -1 ? 'no-stream' : revision;
            const result = await store.append(stream, expected, [envelope({ data: { text } })]);
            if (isSecret && result.ok) heads.set(stream, result.value.position);
          }
        }),
      );
      if (round === 3) {
        expect((await store.deleteStreams(heads)).size).toBe(100);
        expect(isOnDisk(log.elsewhere.address)).toBe(false);
        heads.clear();
      }
    }
    expect((await store.deleteStreams(heads)).size).toBe(50);
    expect(isOnDisk(log.elsewhere.address)).toBe(false);
    await log.dispose();
  });

  it('are got out of the log by a later call when a reader stood in the way', async () => {
    const log = await makeSqliteLog();
    const path = log.elsewhere.address;
    const store = await openSqliteEventStore(path, { patienceMs: 50 });
    const result = await store.append('task-a', 'no-stream', [envelope({ data: { SECRET } })]);
    const head = result.ok ? result.value.position : await store.head();
    const reader = new Database(path, { readonly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM events').get();

    const heads = new Map([['task-a', head]]);
    await expect(store.deleteStreams(heads)).rejects.toThrow(EventStoreUnavailable);
    expect(await store.readStream('task-a')).toEqual([]);
    expect(isOnDisk(path)).toBe(true);
    reader.close();
    await store.deleteStreams(new Map());
    expect(isOnDisk(path)).toBe(false);
    await store.close();
    await log.dispose();
  });
});
