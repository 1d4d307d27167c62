import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { openSqliteEventStore } from '../../../src/event-store/sqlite/sqlite-event-store.js';
import { readEverything } from '../../contracts/support/reading.js';
import { copyLog, OTHER_ENGINES } from '../../support/copied-log.js';
import { append } from './support/log-node.js';
import { ThreadedLog } from './support/threaded-log.js';
import { signedTrees } from './support/true-checkpoints.js';

const TIMEOUT_MS = 60_000;

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-moved-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

it.each(Object.entries(OTHER_ENGINES))(
  'the tree of a log that was moved to %s is moved aside, and made anew over what others wrote meanwhile',
  async (_engine, start) => {
    const server = await start();
    let log = await ThreadedLog.open(folder);
    await append(log.store, 20, 'process-');
    await append(log.store, 10);
    await log.published(10);
    await log.close();

    const from = await openSqliteEventStore(join(folder, 'events.db'));
    const to = await server.open();
    await copyLog(from, to);
    await from.close();
    // Beyond the place at which the tree was, also where positions are spelled alike.
    for (let round = 0; round < 10; round++) {
      await append(to, 2, 'process-');
      await append(to, 1);
    }
    await to.close();

    const keys = `sqlite:${join(folder, 'keys.db')}`;
    const env = { EVENT_STORE: server.url, KEY_STORE: keys };
    log = await ThreadedLog.open(folder, { env });
    await append(log.store, 1);
    await log.published(21);
    expect(await log.health()).toMatchObject({ healthy: true });
    const trees = signedTrees(await readEverything(log.store));
    expect(trees).toMatchObject({ size: 21, untrue: [] });
    expect(trees.signed).toContain(10);
    expect(log.threads).toHaveLength(2);
    expect((await readdir(folder)).some((name) => /^log-tree\.db\.damaged/.test(name))).toBe(true);
    // Once and for all.
    await log.close();
    log = await ThreadedLog.open(folder, { env });
    await append(log.store, 1);
    await log.published(22);
    expect(log.threads).toHaveLength(1);
    await log.close();
    await server.stop();
  },
  TIMEOUT_MS,
);
