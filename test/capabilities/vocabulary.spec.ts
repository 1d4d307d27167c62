import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CapabilityCommand } from '../../src/capabilities/domain/commands.js';
import { capabilityStream } from '../../src/capabilities/domain/stream.js';
import { CAPABILITY_EVENT_TYPES } from '../../src/capabilities/event-types.js';
import { ProjectedVocabulary } from '../../src/capabilities/vocabulary/projected-vocabulary.js';
import { capabilityVocabulary } from '../../src/capabilities/vocabulary/projection.js';
import { millisecondsOf, timestampOf, type Timestamp } from '../../src/kernel/timestamp.js';
import { ProjectionRunner } from '../../src/projections/projection-runner.js';
import { SqliteReadDatabase } from '../../src/projections/sqlite/sqlite-read-database.js';
import { capability } from './support/capabilities.js';
import { CapabilityNode } from './support/capability-node.js';
import { become, register, revise } from './support/given-when-then.js';

let folder: string;
let node: CapabilityNode;
let databases: SqliteReadDatabase[];
let runner: ProjectionRunner;
let vocabulary: ProjectedVocabulary;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-vocabulary-'));
  node = await CapabilityNode.open({ folder });
  databases = [];
  runner = view(1);
  runner.start();
  vocabulary = over(() => runner);
});

afterEach(async () => {
  await runner.stop();
  for (const database of databases) database.close();
  await node.close();
  rmSync(folder, { recursive: true });
});

function view(version: number, file = 'vocabulary.db'): ProjectionRunner {
  const database = new SqliteReadDatabase(join(folder, file));
  databases.push(database);
  return new ProjectionRunner({
    store: node.store,
    keys: node.keys,
    types: CAPABILITY_EVENT_TYPES,
    database,
    projections: [{ ...capabilityVocabulary, version }],
    clock: Date.now,
    report: () => undefined,
  });
}

/** Over whichever view there is at the time. */
const over = (views: () => ProjectionRunner): ProjectedVocabulary =>
  new ProjectedVocabulary(
    {
      prepare: (sql) => views().prepare(sql),
      unreliableStreams: (name) => views().unreliableStreams(name),
    },
    { a2a: { vocabulary: ['set-by-the-deployment'] } },
  );

async function caughtUp(): Promise<void> {
  const reached = await runner.waitFor(await node.store.head(), 10_000);
  if (!reached) throw new Error('the view does not follow');
}

async function given(...commands: readonly CapabilityCommand[]): Promise<void> {
  await node.performAll(...commands);
  await caughtUp();
}

function which(words: readonly string[], moment?: Timestamp): readonly string[] {
  const known = vocabulary.known(moment);
  return words.filter((word) => known.has(word));
}

const WORDS = ['reconcile', 'invoices', 'ledger', 'audit', 'set-by-the-deployment', 'toString', ''];

describe('the vocabulary', () => {
  it('is what the deployment sets, as long as there are no manifests, or no views', () => {
    expect(which(WORDS)).toEqual(['set-by-the-deployment']);
    const unstarted = view(1, 'never-started.db');
    vocabulary = over(() => unstarted);
    expect(which(WORDS)).toEqual(['set-by-the-deployment']);
  });

  it('keeps every value that a manifest ever had, whatever became of the manifest', async () => {
    await given(register({ action: 'reconcile', data: ['invoices'] }));
    expect(which(WORDS)).toEqual(['reconcile', 'invoices', 'set-by-the-deployment']);
    await given(revise({ action: 'audit', data: ['ledger'] }, 0));
    await given(become('deprecated', 1), become('removed', 2));
    expect(which(WORDS)).toEqual([
      'reconcile',
      'invoices',
      'ledger',
      'audit',
      'set-by-the-deployment',
    ]);
  });

  it('is compared exactly', async () => {
    await given(register({ action: 'reconcile', data: ['invoices'] }));
    expect(which(['Reconcile', 'reconcile ', 'invoice', 'recon\u200bcile'])).toEqual([]);
  });

  it('is the same object until something is added', async () => {
    await given(register({ action: 'reconcile', data: [] }));
    const before = vocabulary.known();
    await given({
      kind: 'register',
      manifest: { ...capability('other').manifest, action: null, data: [] },
    });
    expect(vocabulary.known()).toBe(before);
    await given({
      kind: 'register',
      manifest: { ...capability('third').manifest, action: 'audit', data: [] },
    });
    expect(vocabulary.known()).not.toBe(before);
    expect(before.has('audit')).toBe(false);
  });

  it('was smaller in the past', async () => {
    const began = node.now;
    await given(register({ action: 'reconcile', data: [] }));
    node.now += 60_000;
    await given(revise({ action: 'audit', data: ['ledger'] }, 0));
    expect(which(WORDS, timestampOf(began - 1))).toEqual(['set-by-the-deployment']);
    expect(which(WORDS, timestampOf(began))).toEqual(['reconcile', 'set-by-the-deployment']);
    expect(which(WORDS, timestampOf(began + 59_999))).toEqual([
      'reconcile',
      'set-by-the-deployment',
    ]);
    expect(which(WORDS, timestampOf(began + 60_000))).toEqual([
      'reconcile',
      'ledger',
      'audit',
      'set-by-the-deployment',
    ]);
  });

  it('goes by the earliest moment, in whichever order the streams came', async () => {
    await given(register({ action: 'reconcile', data: [] }));
    const [first] = await node.store.readStream(capabilityStream(...ofReconcile()));
    node.now -= 60_000;
    await given({
      kind: 'register',
      manifest: { ...capability('earlier').manifest, action: 'reconcile', data: [] },
    });
    const registered = millisecondsOf(first?.recordedAt as Timestamp);
    expect(which(['reconcile'], timestampOf(registered - 60_000))).toEqual(['reconcile']);
    expect(which(['reconcile'], timestampOf(registered - 60_001))).toEqual([]);
  });

  it('is read anew from a view that was built anew', async () => {
    await given(register({ action: 'reconcile', data: [] }));
    expect(which(['reconcile'])).toEqual(['reconcile']);
    await runner.stop();
    runner = view(2);
    runner.start();
    await given(revise({ action: 'audit', data: [] }, 0));
    expect(which(['reconcile', 'audit'])).toEqual(['reconcile', 'audit']);
  });
});

function ofReconcile(): Parameters<typeof capabilityStream> {
  const { agentId, id } = register({}).manifest;
  return [agentId, id];
}
