import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readEverything } from '../../contracts/support/reading.js';
import { eventually } from '../../support/eventually.js';
import { append } from './support/log-node.js';
import { ThreadedLog } from './support/threaded-log.js';
import { signedTrees } from './support/true-checkpoints.js';

const TIMEOUT_MS = 60_000;
/** Longer than any test: nothing is signed meanwhile. */
const NEVER_MS = 600_000;
/** Less than a turn of the signer waits for the tree. */
const CLOSES_WITHIN_MS = 4_000;
const SIGNED = 10;
const SUFFIXES = ['', '-wal', '-shm'];

let root: string;
/** Of the log that is tested, and of another log of the same name and key. */
let own: string;
let other: string;
let log: ThreadedLog;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'countersign-exchanged-'));
  [own, other] = [join(root, 'own'), join(root, 'other')];
  for (const folder of [own, other]) await mkdir(folder);
});

afterEach(async () => {
  await log.close();
  await rm(root, { recursive: true });
}, TIMEOUT_MS);

/** A closed node's log of so many events more, the last of them signed. */
async function sign(folder: string, added: number, size: number): Promise<void> {
  log = await ThreadedLog.open(folder);
  await append(log.store, added);
  await log.published(size);
  await log.close();
}

/** Some events more, in log and tree, and not signed. */
async function grow(folder: string, added: number): Promise<void> {
  log = await ThreadedLog.open(folder, { intervalMs: NEVER_MS });
  await append(log.store, added);
  await eventually(() => log.log.size() === SIGNED + added, TIMEOUT_MS);
  await log.close();
}

/** Puts a closed node's file in the place of another. */
async function put(from: string, name: string, to: string): Promise<void> {
  for (const suffix of SUFFIXES) {
    await rm(join(to, name + suffix), { force: true });
    const file = join(from, name + suffix);
    if (existsSync(file)) await copyFile(file, join(to, name + suffix));
  }
}

async function expectOwnLogGoesOn(size: number): Promise<void> {
  log = await ThreadedLog.open(own);
  await append(log.store, 1);
  await log.published(size + 1);
  expect(await log.health()).toMatchObject({ healthy: true });
  expect((await readdir(own)).some((name) => /^log-tree\.db\.damaged/.test(name))).toBe(true);
  const trees = signedTrees(await readEverything(log.store));
  expect(trees).toMatchObject({ size: size + 1, untrue: [] });
}

async function expectOutOfService(): Promise<void> {
  log = await ThreadedLog.open(own);
  await append(log.store, 30);
  const before = (await readEverything(log.store)).length;
  await log.says(/LogContradicted/);
  expect(await log.health()).toMatchObject({ healthy: false });
  await expect(log.log.checkpoint()).rejects.toThrow('log-inconsistent');
  // Several retries of the follower, and turns of the signer.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(await log.health()).toMatchObject({ healthy: false });
  expect(await readEverything(log.store)).toHaveLength(before);
  expect(log.threads).toHaveLength(1);
  // And whoever stops it does not wait for a tree that will not come to the head of the log.
  const began = performance.now();
  await log.close();
  expect(performance.now() - began).toBeLessThan(CLOSES_WITHIN_MS);
}

describe('a tree that is not of the log, whose kept checkpoint is', () => {
  it.each([4, 25])(
    'is moved aside and made anew: another log’s of %i signed leaves',
    async (leaves) => {
      await sign(own, SIGNED, SIGNED);
      await sign(other, leaves, leaves);
      await put(other, 'log-tree.db', own);
      await expectOwnLogGoesOn(SIGNED);
    },
    TIMEOUT_MS,
  );

  it(
    'is moved aside when it holds more than the log, and nothing of that was signed',
    async () => {
      await sign(own, SIGNED, SIGNED);
      await put(own, 'events.db', other);
      await grow(own, 5);
      await put(other, 'events.db', own);
      await expectOwnLogGoesOn(SIGNED);
    },
    TIMEOUT_MS,
  );
});

describe('a node stays out of service and signs nothing', () => {
  it(
    'when the kept checkpoint speaks against the log as the tree does',
    async () => {
      await sign(own, SIGNED, SIGNED);
      await sign(other, 25, 25);
      await put(other, 'events.db', own);
      await expectOutOfService();
    },
    TIMEOUT_MS,
  );

  it(
    'when its own tree knows of a later checkpoint that is not in the log, and the file is older',
    async () => {
      await sign(own, SIGNED, SIGNED);
      for (const name of ['events.db', 'log-checkpoint']) await put(own, name, other);
      await sign(own, 5, SIGNED + 5);
      for (const name of ['events.db', 'log-checkpoint']) await put(other, name, own);
      await expectOutOfService();
    },
    TIMEOUT_MS,
  );

  it(
    'when it keeps no checkpoint: then the tree is all that remembers',
    async () => {
      await sign(own, SIGNED, SIGNED);
      await put(own, 'events.db', other);
      await sign(own, 5, SIGNED + 5);
      await put(other, 'events.db', own);
      await rm(join(own, 'log-checkpoint'));
      await expectOutOfService();
    },
    TIMEOUT_MS,
  );
});
