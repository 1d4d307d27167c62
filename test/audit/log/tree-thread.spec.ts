import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AUDITED_STREAM_PREFIXES } from '../../../src/audit/audited-streams.js';
import { START } from '../../../src/event-store/port.js';
import { encodeBase64Url } from '../../../src/kernel/base64url.js';
import { envelopeText } from '../../../src/kernel/envelope.js';
import { leafHash, MerkleFrontier } from '../../../src/kernel/merkle.js';
import { EventStoreDouble } from '../../support/eventstoredb/double.js';
import { freshDatabase } from '../../e2e/support/postgres-stores.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { append } from './support/log-node.js';
import { ThreadedLog } from './support/threaded-log.js';

const TIMEOUT_MS = 60_000;

let folder: string;
let log: ThreadedLog;
/** Audited events so far. */
let size: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-tree-'));
  size = 0;
});

afterEach(async () => {
  await log.close();
  await rm(folder, { recursive: true });
}, TIMEOUT_MS);

const treeFile = (): string => join(folder, 'log-tree.db');

async function add(events: number): Promise<void> {
  await append(log.store, events);
  size += events;
}

/** Every checkpoint of the log says what is so; the log itself is the witness. */
async function expectOnlyTrueCheckpoints(): Promise<number> {
  const frontier = new MerkleFrontier();
  const roots = new Map<unknown, string>();
  const filter = { streamPrefixes: AUDITED_STREAM_PREFIXES };
  for await (const event of log.store.readAll(START, filter)) {
    frontier.append(leafHash(envelopeText(event)));
    roots.set(frontier.size, encodeBase64Url(frontier.root()));
  }
  const signed = await log.store.readStream('log');
  expect(signed.map(({ data }) => data['rootHash'])).toEqual(
    signed.map(({ data }) => roots.get(data['size'])),
  );
  expect(frontier.size).toBe(size);
  return signed.length;
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
        await add(2);
        await log.published(size);
      }
      expect(log.threads.length).toBeGreaterThan(3);
      expect(await expectOnlyTrueCheckpoints()).toBeGreaterThan(5);
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
      for (let round = 0; round < 4; round++) {
        await add(200);
        await log.published(size);
      }
      await expectOnlyTrueCheckpoints();
      expect(log.log.rootAt(300)).toBeDefined();
      for (const index of [0, 255, 256, 299]) log.log.inclusionProof(index, 300);
    },
    TIMEOUT_MS,
  );

  it.each([
    ['that is signed', 3, 'log_tiles'],
    ['not signed yet', 295, 'log_tiles'],
  ])(
    'of which one hash has changed in its file is not signed: a leaf %s',
    async (_, leaf) => {
      log = await ThreadedLog.open(folder);
      await add(290);
      await log.published(size);
      await log.threads.at(-1)?.terminate();
      const other = new Database(treeFile());
      other.function('flip', (tile: Buffer, at: number) => {
        const bytes = Buffer.from(tile);
        bytes[at] = (bytes[at] ?? 0) ^ 1;
        return bytes;
      });
      other
        .prepare('UPDATE log_tiles SET hashes = flip(hashes, ?) WHERE level = 0 AND number = ?')
        .run((leaf % 256) * 32, Math.floor(leaf / 256));
      other.close();
      await add(5);
      await log.published(size);
      await expectOnlyTrueCheckpoints();
    },
    TIMEOUT_MS,
  );
});
