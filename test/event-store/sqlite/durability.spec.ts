import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openSqliteEventStore } from '../../../src/event-store/sqlite/sqlite-event-store.js';
import { openSqliteKeyStore } from '../../../src/event-store/sqlite/sqlite-key-store.js';
import type { AppenderTask } from '../../contracts/children/appender.js';
import type { KeeperTask } from '../../contracts/children/keeper.js';
import { Child } from '../../contracts/support/child.js';
import { PROCESS_TEST_TIMEOUT } from '../../contracts/support/effort.js';
import { freshStream } from '../../contracts/support/envelopes.js';
import { idsOf, readEverything } from '../../contracts/support/reading.js';
import { CAN_TRACE, tracedCalls, tracer, type TracedCall } from './system-calls.js';

let folder: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'countersign-durable-')));
});

afterEach(async () => {
  await Child.killAll();
  await rm(folder, { recursive: true });
});

const how = CAN_TRACE
  ? 'settings and order of the system calls'
  : 'settings only: NO STRACE HERE, the order of the system calls is not checked';

describe(`acknowledged means flushed (${how})`, () => {
  it('by the settings of every connection', async () => {
    const full = { journalMode: 'wal', synchronous: 2 };
    const events = await openSqliteEventStore(join(folder, 'events.db'));
    expect(events.durability()).toEqual(full);
    await events.close();
    const keys = await openSqliteKeyStore(join(folder, 'keys.db'), { randomBytes });
    expect(keys.durability()).toEqual(full);
    await keys.close();
  });

  if (CAN_TRACE) {
    it(
      'an append: its log pages are written, then flushed, and only then it is answered',
      async () => {
        const path = join(folder, 'events.db');
        const task: AppenderTask = {
          log: { module: moduleUrl('./event-store-fixture.ts'), address: path },
          streams: [freshStream()],
          batches: 25,
        };
        const trace = join(folder, 'trace');
        const child = new Child('appender.ts', task, { under: tracer(trace) });
        await child.finished();
        expect(child.lines).toHaveLength(25);
        expectFlushBeforeEachAnswer(tracedCalls(trace, path), 25);
      },
      PROCESS_TEST_TIMEOUT,
    );

    it(
      'what a killed process left in the log: it is flushed before anything else is done',
      async () => {
        const path = join(folder, 'events.db');
        const task: AppenderTask = {
          log: { module: moduleUrl('./event-store-fixture.ts'), address: path },
          streams: [freshStream()],
        };
        const killed = new Child('appender.ts', { ...task, batches: 3, thenWaits: true });
        await killed.wrote(3);
        await killed.kill();
        const trace = join(folder, 'trace');
        await new Child(
          'appender.ts',
          { ...task, batches: 1 },
          { under: tracer(trace) },
        ).finished();
        expect(tracedCalls(trace, path)[0]).toBe('log-flushed');
      },
      PROCESS_TEST_TIMEOUT,
    );

    it(
      'a key: it is written, then flushed, and only then it is handed out',
      async () => {
        const path = join(folder, 'keys.db');
        const task: KeeperTask = {
          keys: { module: moduleUrl('./key-store-fixture.ts'), address: path },
          scopes: Array.from({ length: 15 }, () => freshStream()),
        };
        const trace = join(folder, 'trace');
        const child = new Child('keeper.ts', task, { under: tracer(trace) });
        await child.finished();
        expect(child.lines).toHaveLength(15);
        expectFlushBeforeEachAnswer(tracedCalls(trace, path), 15);
      },
      PROCESS_TEST_TIMEOUT,
    );
  }
});

describe('a full disk', () => {
  it(
    'makes appends fail without half an event, and loses nothing that was acknowledged',
    async () => {
      const path = join(folder, 'events.db');
      const task: AppenderTask = {
        log: { module: moduleUrl('./event-store-fixture.ts'), address: path },
        streams: [freshStream(), freshStream(), freshStream()],
        untilUnavailable: true,
      };
      // Files may grow to 400 KiB only; the program outlives the signal that says so.
      const limited = ['bash', '-c', 'ulimit -f 400; exec "$0" "$@"'];
      const child = new Child('appender.ts', task, { under: limited });
      await child.finished();
      expect(child.lines.at(-1)).toBe('unavailable');

      const store = await openSqliteEventStore(path);
      const stored = await readEverything(store);
      const acknowledged = child.lines
        .slice(0, -1)
        .flatMap((line) => line.split(' ')[2]?.split(','));
      expect(acknowledged.length).toBeGreaterThan(20);
      expect(idsOf(stored)).toEqual(expect.arrayContaining(acknowledged));
      for (const { data } of stored) {
        expect(stored.filter((other) => other.data['batch'] === data['batch'])).toHaveLength(
          Number(data['size']),
        );
      }
      await store.close();
    },
    PROCESS_TEST_TIMEOUT,
  );
});

function moduleUrl(relative: string): string {
  return new URL(relative, import.meta.url).href;
}

function expectFlushBeforeEachAnswer(calls: readonly TracedCall[], answers: number): void {
  let seen = 0;
  let last: TracedCall | undefined;
  let written = false;
  for (const call of calls) {
    if (call === 'log-written') written = true;
    if (call === 'acknowledged') {
      seen++;
      // Something was written for this answer, and nothing after the flush.
      expect([written, last]).toEqual([true, 'log-flushed']);
      written = false;
    }
    last = call;
  }
  expect(seen).toBe(answers);
}
