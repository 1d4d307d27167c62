import { copyFile, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { TreeState } from '../../../src/audit/log/tables.js';
import { openSqliteEventStore } from '../../../src/event-store/sqlite/sqlite-event-store.js';
import { encodeBase64Url } from '../../../src/kernel/base64url.js';
import { HASH_BYTES, MerkleFrontier } from '../../../src/kernel/merkle.js';
import { readEverything } from '../../contracts/support/reading.js';
import { eventually } from '../../support/eventually.js';
import { append } from './support/log-node.js';
import { ThreadedLog } from './support/threaded-log.js';
import { signedTrees } from './support/true-checkpoints.js';

const TIMEOUT_MS = 60_000;
/** Longer than any test: nothing is signed meanwhile. */
const NEVER_MS = 600_000;
const UNSIGNED = 12;

let folder: string;
let log: ThreadedLog;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-damage-'));
});

afterEach(async () => {
  await log.close();
  await rm(folder, { recursive: true });
}, TIMEOUT_MS);

/** A closed node's tree of so many signed leaves, and some more that are not signed yet. */
async function grow(signed: number): Promise<void> {
  if (signed > 0) {
    log = await ThreadedLog.open(folder);
    await append(log.store, signed);
    await log.published(signed);
    await log.close();
  }
  log = await ThreadedLog.open(folder, { intervalMs: NEVER_MS });
  await append(log.store, UNSIGNED);
  await eventually(() => log.log.size() === signed + UNSIGNED, TIMEOUT_MS);
  await log.close();
}

interface Stored {
  state: TreeState;
  /** Of a tree of less than 256. */
  leaves: Uint8Array[];
}

/** Changes what is stored in a way that the stored tree is one by itself: only the events say otherwise. */
function change(work: (stored: Stored) => void): void {
  const file = new Database(join(folder, 'log-tree.db'));
  const { state } = file.prepare('SELECT state FROM log_state').get() as { state: string };
  const { hashes } = file.prepare('SELECT hashes FROM log_tiles WHERE level = 0').get() as {
    hashes: Uint8Array;
  };
  const stored: Stored = {
    state: JSON.parse(state) as TreeState,
    leaves: Array.from({ length: hashes.length / HASH_BYTES }, (_, at) =>
      hashes.slice(at * HASH_BYTES, (at + 1) * HASH_BYTES),
    ),
  };
  work(stored);
  const frontier = new MerkleFrontier();
  for (const leaf of stored.leaves) frontier.append(leaf);
  const changed: TreeState = {
    ...stored.state,
    size: frontier.size,
    frontier: frontier.roots.map(encodeBase64Url),
  };
  file.prepare('UPDATE log_tiles SET hashes = ?').run(Buffer.concat(stored.leaves));
  file.prepare('UPDATE log_state SET state = ?').run(JSON.stringify(changed));
  file.close();
}

/** Moves what is stored of the place in the log on to its end, over an event that it has not taken. */
async function skipOne(): Promise<void> {
  const position = await endOfLog(1);
  change(({ state }) => Object.assign(state, { position }));
}

/** … and on beyond its end, wherever that is: a node that starts slowly signs what it finds first. */
async function goBeyond(): Promise<void> {
  const end = await endOfLog(0);
  const position = String(BigInt(end) + 1n).padStart(end.length, '0');
  change(({ state }) => Object.assign(state, { position }));
}

/** … and over a checkpoint of all that it has taken: as the tree was, with the place of one that has it. */
async function skipCheckpoint(leaves: number): Promise<void> {
  const tree = join(folder, 'log-tree.db');
  await copyFile(tree, `${tree}.before`);
  log = await ThreadedLog.open(folder);
  await log.published(leaves);
  await log.close();
  for (const suffix of ['', '-wal', '-shm']) await rm(tree + suffix, { force: true });
  await rename(`${tree}.before`, tree);
  const position = await endOfLog(0);
  change(({ state }) => Object.assign(state, { position }));
}

/** After so many events more. */
async function endOfLog(added: number): Promise<string> {
  const store = await openSqliteEventStore(join(folder, 'events.db'));
  await append(store, added);
  const end = await store.head();
  await store.close();
  return end;
}

/** What is done to a tree of so many leaves. */
type Damage = (leaves: number) => void | Promise<void>;

const DAMAGES: readonly (readonly [string, added: number, Damage])[] = [
  [
    'a leaf flipped',
    0,
    () => {
      change(({ leaves }) => (leaves.at(-3)![0]! ^= 1));
    },
  ],
  [
    'a leaf dropped',
    0,
    () => {
      change(({ leaves }) => leaves.splice(-3, 1));
    },
  ],
  [
    'two leaves exchanged',
    0,
    () => {
      change(({ leaves }) => leaves.splice(-3, 2, leaves.at(-2)!, leaves.at(-3)!));
    },
  ],
  ['its position beyond the end of the log', 0, goBeyond],
  ['its position beyond an event that is no leaf', 1, skipOne],
  ['its position beyond a checkpoint that it does not know', 0, skipCheckpoint],
];

describe.each([0, 20])('a tree of %i signed leaves and more', (signed) => {
  it.each(DAMAGES)(
    'with %s is never signed, but made anew',
    async (_, added, damage) => {
      await grow(signed);
      await damage(signed + UNSIGNED);
      log = await ThreadedLog.open(folder);
      const size = signed + UNSIGNED + added;
      await log.published(size);
      await append(log.store, 5);
      await log.published(size + 5);
      const trees = signedTrees(await readEverything(log.store));
      expect(trees).toMatchObject({ size: size + 5, untrue: [] });
    },
    TIMEOUT_MS,
  );
});

describe('a tree of several tiles', () => {
  it.each([
    ['the tile above', 1],
    ['a full tile that the root does not need', 0],
  ])(
    'with a hash flipped in %s is made anew',
    async (_, level) => {
      log = await ThreadedLog.open(folder);
      await Promise.all(Array.from({ length: 6 }, () => append(log.store, 100)));
      await log.published(600);
      const leaf = log.log.leafAt(3);
      await log.close();
      const file = new Database(join(folder, 'log-tree.db'));
      const where = 'WHERE level = ? AND number = 0';
      const { hashes } = file.prepare(`SELECT hashes FROM log_tiles ${where}`).get(level) as {
        hashes: Uint8Array;
      };
      hashes[(level === 1 ? 0 : 3) * HASH_BYTES]! ^= 1;
      file.prepare(`UPDATE log_tiles SET hashes = ? ${where}`).run(hashes, level);
      file.close();
      log = await ThreadedLog.open(folder);
      await eventually(() => log.threads.length === 2, TIMEOUT_MS);
      await append(log.store, 1);
      await log.published(601);
      expect(log.log.leafAt(3)).toEqual(leaf);
      const trees = signedTrees(await readEverything(log.store));
      expect(trees).toMatchObject({ size: 601, untrue: [] });
    },
    TIMEOUT_MS,
  );
});
