import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { AUDITED_STREAM_PREFIXES } from '../../../src/audit/audited-streams.js';
import { newestCheckpoint } from '../../../src/audit/log/checkpoint-rows.js';
import { openEventStoreDb } from '../../../src/event-store/eventstoredb/eventstoredb-event-store.js';
import { START, type EventFilter, type EventStore } from '../../../src/event-store/port.js';
import { openPostgresEventStore } from '../../../src/event-store/postgres/postgres-event-store.js';
import { openSqliteEventStore } from '../../../src/event-store/sqlite/sqlite-event-store.js';
import { envelopeText, type EventEnvelope } from '../../../src/kernel/envelope.js';
import { leafHash, MerkleFrontier } from '../../../src/kernel/merkle.js';
import { value } from '../../contracts/support/reading.js';
import { readStored } from '../../golden/stored-log.js';
import { EventStoreDouble } from '../../support/eventstoredb/double.js';
import { eventually } from '../../support/eventually.js';
import { dropNamespace, freshNamespace, postgresUrl } from '../../support/shared-postgres.js';
import { append, LogNode, makeKey } from './support/log-node.js';

const GOLDEN = new URL('../../golden/', import.meta.url);
const AUDITED: EventFilter = { streamPrefixes: AUDITED_STREAM_PREFIXES };

const key = makeKey('checkpoint-1');
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

let folder: string;
let namespace: string;
let double: EventStoreDouble;
/** Each in a log of its own, which may be opened several times. */
let engines: Readonly<Record<string, () => Promise<EventStore>>>;
let opened: { close(): Promise<void> }[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-log-engines-'));
  namespace = freshNamespace();
  double = await EventStoreDouble.start();
  const url = await postgresUrl();
  engines = {
    sqlite: () => openSqliteEventStore(join(folder, 'events.db'), { pollMs: 5 }),
    postgres: () => openPostgresEventStore(url, { namespace, pollMs: 20 }),
    eventstoredb: () => openEventStoreDb(double.connectionString),
  };
  opened = [];
}, 60_000);

afterEach(async () => {
  for (const each of opened.reverse()) await each.close();
  await double.stop();
  await dropNamespace(namespace);
  await rm(folder, { recursive: true });
}, 60_000);

async function open(engine: string): Promise<EventStore> {
  const store = await engines[engine]!();
  opened.push(store);
  return store;
}

/** Every stream that a golden log holds; those of interactions, which all have one id, renamed. */
async function goldenStreams(): Promise<readonly (readonly EventEnvelope[])[]> {
  const files = await readdir(GOLDEN, { recursive: true });
  return files.sort().flatMap((file) => {
    // Tasks are elsewhere, and the checkpoints are those of another tree.
    if (!file.endsWith('.json') || ['tasks.json', 'log.json'].includes(file)) return [];
    const streams = new Map<string, EventEnvelope[]>();
    for (const event of readStored(new URL(file, GOLDEN)).events) {
      const place = file.replaceAll(/[^a-z]/g, '-');
      const stream = file.includes('/') ? `${event.stream}-${place}` : event.stream;
      streams.set(stream, [...(streams.get(stream) ?? []), { ...event, stream }]);
    }
    return [...streams.values()];
  });
}

/** Events of the streams in turn, as many nodes would write them. */
function interleaved(streams: readonly (readonly EventEnvelope[])[]): readonly EventEnvelope[] {
  const longest = Math.max(...streams.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) =>
    streams.flatMap((each) => each[at] ?? []),
  ).flat();
}

async function store(
  log: EventStore,
  { stream, revision, ...event }: EventEnvelope,
): Promise<void> {
  value(await log.append(stream, revision === 0 ? 'no-stream' : revision - 1, [event]));
}

async function leaves(log: EventStore): Promise<readonly string[]> {
  const hashes: string[] = [];
  for await (const event of log.readAll(START, AUDITED))
    hashes.push(hex(leafHash(envelopeText(event))));
  return hashes;
}

async function copy(from: EventStore, to: EventStore, filter: EventFilter): Promise<void> {
  for await (const { position: _, ...event } of from.readAll(START, filter)) await store(to, event);
}

async function nodeOver(engine: string): Promise<LogNode> {
  const node = await LogNode.open(folder, engine, { key, engine, log: engines[engine]! });
  opened.push(node);
  return node;
}

it('a log has one tree, whichever engine holds it and however it came there', async () => {
  const streams = await goldenStreams();
  const first = await open('sqlite');
  for (const event of interleaved(streams)) await store(first, event);
  const expected = await leaves(first);
  const ofAll = interleaved(streams).length;
  expect(expected.length).toBeGreaterThan(70);
  // Not everything in it is audited.
  expect(expected.length).toBeLessThan(ofAll);

  // From one engine to the next; the last copy is of a copy, and other things stand between.
  await copy(first, await open('postgres'), AUDITED);
  const third = await open('eventstoredb');
  await append(third, 3, 'process-');
  await copy(await open('postgres'), third, AUDITED);
  await append(third, 3, 'logbook-');

  const frontier = new MerkleFrontier();
  for (const leaf of expected) frontier.append(Buffer.from(leaf, 'hex'));
  const notes = [];
  for (const engine of Object.keys(engines)) {
    expect([engine, await leaves(await open(engine))]).toEqual([engine, expected]);
    const node = await nodeOver(engine);
    expect(await node.catchUp()).toBe(true);
    const { tree } = node;
    const { size } = tree;
    expect([engine, size]).toEqual([engine, expected.length]);
    expect(hex(tree.hashes().rootAt(size))).toBe(hex(frontier.root()));
    expect(expected.map((_, index) => hex(tree.leafAt(index)))).toEqual(expected);
    await node.signs();
    await eventually(() => newestCheckpoint(tree)?.size === size);
    notes.push(newestCheckpoint(tree)?.note);
  }
  // Ed25519 signs the same text to the same note.
  expect(new Set(notes).size).toBe(1);
}, 60_000);

it.each(['postgres', 'eventstoredb'])(
  'on %s the tree follows three writers, and catches up with what is not its own',
  async (engine) => {
    const node = await nodeOver(engine);
    const writers = [await open(engine), await open(engine), await open(engine)];
    const options = { key, engine, log: engines[engine]! };
    const trees = [node, await LogNode.open(folder, `${engine}-2`, options)];
    opened.push(trees[1]!);
    for (const { signer } of trees) signer.start();
    for (let round = 0; round < 3; round++) {
      const writing = writers.flatMap((writer) => [
        append(writer, 10),
        append(writer, 3, 'process-'),
        append(writer, 4, 'interaction-'),
      ]);
      await Promise.all(writing);
      // The head is an event that the tree does not take: it is reached all the same.
      await append(writers[0]!, 1, 'process-');
      for (const each of trees) expect(await each.catchUp()).toBe(true);
    }
    const expected = await leaves(writers[0]!);
    expect(expected).toHaveLength(3 * 3 * 14);
    for (const { tree } of trees) {
      expect(expected.map((_, index) => hex(tree.leafAt(index)))).toEqual(expected);
      await eventually(() => newestCheckpoint(tree)?.size === expected.length);
    }
    const signed = await writers[0]!.readStream('log');
    expect(new Set(signed.map(({ data }) => data['size'])).size).toBe(signed.length);
    for (const { data } of signed) {
      const root = trees[0]!.tree.hashes().rootAt(Number(data['size']));
      expect(Buffer.from(root).toString('base64url')).toBe(data['rootHash']);
    }
  },
  60_000,
);
