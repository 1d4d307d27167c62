import { mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readEverything } from '../../contracts/support/reading.js';
import { EventStoreDouble } from '../../support/eventstoredb/double.js';
import { freshDatabase } from '../../e2e/support/postgres-stores.js';
import { eventually } from '../../support/eventually.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { append } from './support/log-node.js';
import { ThreadedLog } from './support/threaded-log.js';
import { signedTrees } from './support/true-checkpoints.js';

const TIMEOUT_MS = 60_000;

let folder: string;
let log: ThreadedLog;
/** Audited events so far. */
let size: number;
let onEnd: (() => Promise<unknown>)[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-tree-'));
  size = 0;
  onEnd = [];
});

afterEach(async () => {
  await log.close();
  for (const end of onEnd) await end();
  await rm(folder, { recursive: true });
}, TIMEOUT_MS);

const treeFile = (): string => join(folder, 'log-tree.db');

async function add(events: number): Promise<void> {
  await Promise.all(Array.from({ length: 5 }, () => append(log.store, events / 5)));
  size += events;
}

/** Every checkpoint of the log says what is so; the log itself is the witness. */
async function expectOnlyTrueCheckpoints(): Promise<number> {
  const trees = signedTrees(await readEverything(log.store));
  expect(trees).toMatchObject({ size, untrue: [] });
  return trees.signed.length;
}

/** Writes over pages of the tree's file, as a failing disk does, but for the first ones. */
async function damage(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  const { size: bytes } = await handle.stat();
  for (let at = 4096; at < bytes; at += 4096)
    await handle.write(Buffer.alloc(4096, 0xa5), 0, 4096, at);
  await handle.close();
}

describe('a tree', () => {
  it(
    'whose thread is ended goes on in another one',
    async () => {
      log = await ThreadedLog.open(folder);
      for (let round = 1; round <= 3; round++) {
        await add(5);
        await log.published(size);
        await add(100);
        await log.threads.at(-1)?.terminate();
        await add(5);
        await log.published(size);
      }
      expect(log.threads.length).toBeGreaterThan(3);
      expect(await expectOnlyTrueCheckpoints()).toBeGreaterThan(5);
    },
    TIMEOUT_MS,
  );

  it(
    'is one file after its node was stopped, and the lock beside it',
    async () => {
      log = await ThreadedLog.open(folder);
      await add(5);
      await log.published(size);
      await log.close();
      const left = (await readdir(folder)).filter((name) => name.startsWith('log-tree.db'));
      expect(left.sort()).toEqual(['log-tree.db', 'log-tree.db.lock']);
    },
    TIMEOUT_MS,
  );

  it(
    'whose file is deleted is made anew',
    async () => {
      log = await ThreadedLog.open(folder);
      await add(20);
      await log.published(size);
      for (const suffix of ['', '-wal', '-shm']) await rm(treeFile() + suffix, { force: true });
      await add(5);
      await log.published(size);
      await add(5);
      await log.threads.at(-1)?.terminate();
      await add(5);
      await log.published(size);
      await expectOnlyTrueCheckpoints();
    },
    TIMEOUT_MS,
  );

  it.each(['at rest', 'in the write-ahead log, too'])(
    'whose file is damaged is made anew: %s',
    async (where) => {
      log = await ThreadedLog.open(folder);
      await add(300);
      await log.published(size);
      if (where === 'at rest') {
        const other = new Database(treeFile());
        other.pragma('wal_checkpoint(TRUNCATE)');
        other.close();
        await damage(treeFile());
      } else {
        await damage(treeFile());
        await damage(`${treeFile()}-wal`);
      }
      for (let round = 0; round < 3; round++) {
        await add(100);
        await log.published(size);
      }
      await expectOnlyTrueCheckpoints();
      expect(log.log.rootAt(300)).toBeDefined();
      for (const index of [0, 255, 256, 299]) log.log.inclusionProof(index, 300);
    },
    TIMEOUT_MS,
  );

  it(
    'of which a hash has changed in its file is not signed, but made anew',
    async () => {
      log = await ThreadedLog.open(folder, { intervalMs: 1_000 });
      await add(290);
      await log.published(size);
      for (const leaf of [280, 299]) {
        await add(10);
        await eventually(() => log.log.size() === size);
        flip(leaf);
        await log.published(size);
      }
      expect(log.threads.length).toBe(3);
      await expectOnlyTrueCheckpoints();
    },
    TIMEOUT_MS,
  );

  it.each(['postgres', 'eventstoredb'])(
    'over %s outlives that the server is away, also where a thread starts',
    async (engine) => {
      const server = engine === 'postgres' ? await freshDatabase() : await double();
      const proxy = await TcpProxy.to(server.url);
      onEnd.push(
        () => proxy.close(),
        () => server.stop(),
      );
      const env = {
        EVENT_STORE: proxy.through(server.url),
        KEY_STORE: `sqlite:${join(folder, 'keys.db')}`,
      };
      log = await ThreadedLog.open(folder, { env });
      await add(30);
      await log.published(size);
      proxy.down();
      await log.threads.at(-1)?.terminate();
      await log.says(/"stalled":"[^"]*EVENT_STORE/);
      await log.says(/"state":"failing","fault":"EventStoreUnavailable/);
      proxy.up();
      await add(30);
      await log.published(size);
      await expectOnlyTrueCheckpoints();
    },
    TIMEOUT_MS,
  );
});

/** A database does not notice that a bit has changed in what it holds. */
function flip(leaf: number): void {
  const file = new Database(treeFile());
  const [number, at] = [Math.floor(leaf / 256), (leaf % 256) * 32];
  const { hashes } = file
    .prepare('SELECT hashes FROM log_tiles WHERE level = 0 AND number = ?')
    .get(number) as { hashes: Buffer };
  hashes[at]! ^= 1;
  file
    .prepare('UPDATE log_tiles SET hashes = ? WHERE level = 0 AND number = ?')
    .run(hashes, number);
  file.close();
}

async function double(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = await EventStoreDouble.start();
  return { url: server.connectionString, stop: () => server.stop() };
}
