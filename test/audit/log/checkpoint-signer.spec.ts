import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AUDITED_STREAM_PREFIXES } from '../../../src/audit/audited-streams.js';
import { checkpointsBefore, newestCheckpoint } from '../../../src/audit/log/checkpoint-rows.js';
import { EventStoreUnavailable, START, type EventStore } from '../../../src/event-store/port.js';
import { openSqliteEventStore } from '../../../src/event-store/sqlite/sqlite-event-store.js';
import { parseSignedCheckpoint } from '../../../src/kernel/checkpoint.js';
import { envelopeText } from '../../../src/kernel/envelope.js';
import {
  leafHash,
  MerkleFrontier,
  sameHash,
  verifyConsistency,
} from '../../../src/kernel/merkle.js';
import { noteKey, verifyNote } from '../../../src/kernel/note-key.js';
import { aMoment, eventually } from '../../support/eventually.js';
import { storeWith } from '../../support/store-with.js';
import {
  append,
  deleteTree,
  LogNode,
  makeKey,
  ORIGIN,
  type LogNodeOptions,
} from './support/log-node.js';

const key = makeKey('checkpoint-1');
let folder: string;
let nodes: LogNode[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-log-'));
  nodes = [];
});

afterEach(async () => {
  for (const node of nodes) await node.close();
  await rm(folder, { recursive: true, force: true });
});

async function open(name = 'a', options: LogNodeOptions = {}): Promise<LogNode> {
  const node = await LogNode.open(folder, name, { key, ...options });
  nodes.push(node);
  return node;
}

async function close(node: LogNode): Promise<void> {
  nodes = nodes.filter((each) => each !== node);
  await node.close();
}

/** Waits for a published checkpoint of a tree of this size, in this node's view. */
async function published(node: LogNode, size: number): Promise<Uint8Array> {
  node.signer.start();
  await eventually(() => node.tree.isThere && newestCheckpoint(node.tree)?.size === size);
  return newestCheckpoint(node.tree)?.rootHash ?? new Uint8Array();
}

async function reference(store: EventStore): Promise<MerkleFrontier> {
  const frontier = new MerkleFrontier();
  for await (const event of store.readAll(START, { streamPrefixes: AUDITED_STREAM_PREFIXES })) {
    frontier.append(leafHash(envelopeText(event)));
  }
  return frontier;
}

/** The log as it is now, put aside under a name. */
async function backup(name: string): Promise<void> {
  const store = await openSqliteEventStore(join(folder, 'events.db'));
  await store.close();
  await copyFile(join(folder, 'events.db'), join(folder, name));
}

async function restore(name: string): Promise<void> {
  for (const suffix of ['-wal', '-shm'])
    await rm(join(folder, `events.db${suffix}`), { force: true });
  await copyFile(join(folder, name), join(folder, 'events.db'));
}

async function appendApart(count: number): Promise<void> {
  const store = await openSqliteEventStore(join(folder, 'events.db'));
  await append(store, count);
  await store.close();
}

/** A store that leaves out of what is followed what the stream `log` says. */
function withoutCheckpoints(store: EventStore): EventStore {
  return storeWith(store, {
    subscribeAll: async function* (after, options) {
      for await (const message of store.subscribeAll(after, options)) {
        if (message.kind !== 'event' || message.event.stream !== 'log') yield message;
      }
    },
  });
}

describe('the tree', () => {
  it('holds every audited event in log order and no other, also after restarts', async () => {
    let node = await open();
    for (let round = 0; round < 3; round++) {
      await append(node.store, 11);
      await append(node.store, 3, 'process-');
      await append(node.store, 2, 'interaction-');
      await append(node.store, 1, 'logbook-');
      expect(await node.catchUp()).toBe(true);
      const expected = await reference(node.store);
      expect(node.tree.size).toBe(expected.size);
      expect(sameHash(node.tree.hashes().rootAt(expected.size), expected.root())).toBe(true);
      await close(node);
      node = await open();
    }
    expect(node.tree.indexOf(node.tree.leafAt(20))).toBe(20);
    expect(node.tree.indexOf(leafHash('none'))).toBeUndefined();
  });

  it('is the same when it is made anew', async () => {
    const node = await open();
    await append(node.store, 30);
    const root = await published(node, 30);
    await close(node);
    deleteTree(folder, 'a');
    const again = await open();
    expect(await again.catchUp()).toBe(true);
    expect(sameHash(again.tree.hashes().rootAt(30), root)).toBe(true);
  });

  it('goes on with no log that is shorter than it was, or another one', async () => {
    const node = await open();
    await append(node.store, 5);
    await node.catchUp();
    await backup('older.db');
    await append(node.store, 5);
    await node.catchUp();
    await close(node);
    await restore('older.db');
    const shorter = await open();
    expect(await shorter.catchUp()).toBe(false);
    expect(shorter.progress).toMatchObject({ isContradicted: true });
    expect(shorter.progress.stalled).toMatch(/the log ends at/);
    await close(shorter);
    await appendApart(9);
    const other = await open();
    expect(await other.catchUp()).toBe(false);
    expect(other.progress.stalled).toMatch(/another event where leaf 9/);
    expect(other.tree.size).toBe(10);
  });
});

describe('the signer', () => {
  it('publishes a signed note of the tree, and keeps it outside of the log', async () => {
    const node = await open();
    await append(node.store, 3);
    const root = await published(node, 3);
    const [checkpoint] = checkpointsBefore(node.tree, 1, 1);
    const signed = parseSignedCheckpoint(checkpoint?.note ?? '');
    expect(signed?.checkpoint).toEqual({ origin: ORIGIN, size: 3, rootHash: root });
    const verdict = signed && verifyNote(signed.note, noteKey(ORIGIN, 'ed25519', key.jwk));
    expect(verdict).toEqual({ verdict: 'signed', cosignedAt: null });
    expect(await readFile(node.file.path, 'utf8')).toBe(checkpoint?.note);
  });

  it('signs nothing while nothing is added: checkpoints are no leaves', async () => {
    const node = await open();
    await append(node.store, 1);
    await published(node, 1);
    await append(node.store, 2, 'process-');
    await new Promise((resolve) => setTimeout(resolve, 100));
    await node.catchUp();
    expect(node.tree.state).toMatchObject({ size: 1, logRevision: 0 });
  });

  it('does not wait for its interval when it starts', async () => {
    const node = await open('a', { intervalMs: 600_000 });
    expect(node.signer.health.state).toBe('starting');
    await append(node.store, 1);
    await published(node, 1);
  });

  it('stops at the end of a turn that is under way, and waits for no interval', async () => {
    let publish: () => void = () => undefined;
    const mayPublish = new Promise<void>((resolve) => (publish = resolve));
    let isPublishing = false;
    const through = (store: EventStore): EventStore =>
      storeWith(store, {
        append: async (stream, expected, events) => {
          if (stream === 'log') {
            isPublishing = true;
            await mayPublish;
          }
          return store.append(stream, expected, events);
        },
      });
    const node = await open('a', { intervalMs: 600_000, through });
    await append(node.store, 1);
    node.signer.start();
    await eventually(() => isPublishing);
    let hasStopped = false;
    const stopping = node.signer.stop().then(() => (hasStopped = true));
    await aMoment();
    expect(hasStopped).toBe(false);
    publish();
    await stopping;
    expect(newestCheckpoint(node.tree)?.size).toBe(1);

    const resting = await open('b', { intervalMs: 600_000 });
    await resting.signs();
    await append(resting.store, 1);
    const before = performance.now();
    await resting.signer.stop();
    expect(performance.now() - before).toBeLessThan(5_000);
    expect(newestCheckpoint(resting.tree)?.size).toBe(1);
  });

  it('does not know what its log is before the tree reaches what it keeps', async () => {
    const node = await open();
    await append(node.store, 4);
    await published(node, 4);
    await close(node);
    deleteTree(folder, 'a');
    let isAway = true;
    const through = (store: EventStore): EventStore =>
      storeWith(store, {
        subscribeAll: (after, options) => {
          if (isAway) throw new EventStoreUnavailable('away');
          return store.subscribeAll(after, options);
        },
      });
    const again = await open('a', { through });
    again.signer.start();
    await eventually(() => again.signer.health.fault !== null);
    expect(again.signer).toMatchObject({ health: { state: 'starting' }, isChecked: false });
    isAway = false;
    await eventually(() => again.signer.isChecked);
    await again.signs();
  });

  it('takes away what a killed process has left behind', async () => {
    await writeFile(join(folder, 'a-checkpoint.draft'), 'half a no');
    const node = await open();
    await append(node.store, 1);
    await published(node, 1);
    expect((await readdir(folder)).filter((name) => name.startsWith('a-checkpoint'))).toEqual([
      'a-checkpoint',
    ]);
  });

  it('signs soon when asked, and else at its interval', async () => {
    const node = await open('a', { intervalMs: 600_000 });
    await append(node.store, 1);
    await published(node, 1);
    await append(node.store, 1);
    await node.catchUp();
    await aMoment();
    expect(newestCheckpoint(node.tree)?.size).toBe(1);
    node.signer.signSoon();
    await published(node, 2);
  });

  it('says that it has no key, and signs nothing', async () => {
    const node = await open('a', { key: undefined });
    await append(node.store, 1);
    await node.signs('no-key');
    expect(newestCheckpoint(node.tree)).toBeUndefined();
    expect(node.reports).toHaveLength(1);
  });

  it('signs with the new key after a rotation; old checkpoints stay', async () => {
    const node = await open();
    await append(node.store, 1);
    await published(node, 1);
    await close(node);
    const rotated = await open('a', { key: makeKey('checkpoint-2') });
    await append(rotated.store, 1);
    await published(rotated, 2);
    const all = checkpointsBefore(rotated.tree, 10, 10);
    expect(all.map(({ keyId }) => keyId)).toEqual(['checkpoint-2', 'checkpoint-1']);
  });

  it('is one of several: each revision is one node’s, and all agree', async () => {
    const several = [await open('a'), await open('b'), await open('c')];
    for (let size = 4; size <= 20; size += 4) {
      await append(several[0]!.store, 4);
      for (const node of several) node.signer.signSoon();
      await Promise.all(several.map((node) => published(node, size)));
    }
    for (const node of several) {
      await node.catchUp();
      const found = checkpointsBefore(node.tree, 1_000, 100);
      expect(found.every(({ holds }) => holds)).toBe(true);
      expect(new Set(found.map(({ size }) => size)).size).toBe(found.length);
    }
  });

  it('notices that its tree has passed by what another node has published', async () => {
    const other = await open('a');
    const unaware = await open('b', { through: withoutCheckpoints });
    await append(other.store, 2);
    await published(other, 2);
    await unaware.signs('failing');
    expect(unaware.signer.health.fault).toMatch(
      /ReadDatabaseDamaged.*the stream log, which is at 0/,
    );
    expect(unaware.reports).toHaveLength(1);
    expect(unaware.tree.state.logRevision).toBe(-1);
  });

  it('goes on after a crash between file and log', async () => {
    const failing = (store: EventStore): EventStore =>
      storeWith(store, {
        append: (stream, expected, events) =>
          stream === 'log'
            ? Promise.reject(new Error('killed'))
            : store.append(stream, expected, events),
      });
    const node = await open('a', { through: failing });
    await append(node.store, 4);
    await node.signs('failing');
    expect((await node.file.read())?.checkpoint.size).toBe(4);
    expect(node.tree.state.logRevision).toBe(-1);
    await close(node);
    const again = await open();
    await append(again.store, 1);
    await published(again, 5);
  });
});

describe('the signer refuses', () => {
  it('a log whose last five events are five others: no proof leads there', async () => {
    const node = await open();
    await append(node.store, 15);
    await node.catchUp();
    await backup('before.db');
    await append(node.store, 5);
    const firstRoot = await published(node, 20);
    await close(node);

    await restore('before.db');
    await appendApart(5);
    deleteTree(folder, 'a');
    const forked = await open();
    await forked.signs('refusing');
    expect(forked.signer.health.fault).toMatch(/first 20 audited events are not those/);
    expect(forked.reports).toHaveLength(1);

    // Whoever kept the checkpoint finds it out as well, however large the log has become since.
    await append(forked.store, 5);
    await forked.catchUp();
    const hashes = forked.tree.hashes();
    const claim = { first: 20, second: 25, firstRoot, secondRoot: hashes.rootAt(25) };
    const proof = hashes.consistencyProof(20, 25);
    expect(verifyConsistency({ ...claim, proof })).toBe(false);
    expect(verifyConsistency({ ...claim, firstRoot: hashes.rootAt(20), proof })).toBe(true);
    expect(newestCheckpoint(forked.tree)).toBeUndefined();
  });

  it('on every node: each keeps what others have published', async () => {
    const [first, second] = [await open('a'), await open('b', { key: undefined })];
    await append(first.store, 2);
    await first.catchUp();
    await backup('before.db');
    await append(first.store, 5);
    await published(first, 7);
    second.signer.start();
    await eventually(async () => (await second.file.read())?.checkpoint.size === 7);
    await close(first);
    await close(second);
    await restore('before.db');
    await appendApart(9);
    deleteTree(folder, 'b');
    const other = await open('b');
    await other.signs('refusing');
  });

  it('a log that is shorter than what it signed', async () => {
    const node = await open();
    await append(node.store, 2);
    await node.catchUp();
    await backup('before.db');
    await append(node.store, 2);
    await published(node, 4);
    await close(node);
    await restore('before.db');
    deleteTree(folder, 'a');
    const shorter = await open();
    await shorter.signs('refusing');
    expect(shorter.signer.health.fault).toMatch(/2 audited events, fewer than the 4/);
  });

  it('a log that holds a checkpoint of another tree, with or without a file', async () => {
    const node = await open();
    await append(node.store, 3);
    await published(node, 3);
    await append(node.store, 3);
    const [stored] = await node.store.readStream('log', 0);
    const forged = { ...stored!, id: crypto.randomUUID(), data: { ...stored!.data, size: 2 } };
    await node.store.append('log', node.tree.state.logRevision, [forged]);
    await close(node);
    await rm(node.file.path);
    const again = await open();
    await again.signs('refusing');
    expect(again.signer.health.fault).toMatch(/is of another tree/);
    expect(newestCheckpoint(again.tree)?.size).not.toBe(2);
  });

  it('another origin than it signed for', async () => {
    const node = await open();
    await append(node.store, 1);
    await published(node, 1);
    await close(node);
    const moved = await open('a', { origin: 'other.example/log' });
    await moved.signs('refusing');
    expect(moved.signer.health.fault).toMatch(/is of the log countersign.example\/log/);
  });

  it('a checkpoint file that it cannot read', async () => {
    await writeFile(join(folder, 'a-checkpoint'), 'something else');
    const node = await open();
    await append(node.store, 1);
    await node.signs('failing');
    expect(node.signer.health.fault).toMatch(/holds no signed checkpoint/);
    expect(newestCheckpoint(node.tree)).toBeUndefined();
  });
});
