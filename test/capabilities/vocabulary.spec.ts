import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CapabilityCommand } from '../../src/capabilities/domain/commands.js';
import { capabilityStream } from '../../src/capabilities/domain/stream.js';
import { CAPABILITY_EVENT_TYPES } from '../../src/capabilities/event-types.js';
import { ProjectedVocabulary } from '../../src/capabilities/vocabulary/projected-vocabulary.js';
import { capabilityVocabulary } from '../../src/capabilities/vocabulary/projection.js';
import type { AgentId } from '../../src/kernel/ids.js';
import { millisecondsOf, timestampOf, type Timestamp } from '../../src/kernel/timestamp.js';
import { ProjectionRunner } from '../../src/projections/projection-runner.js';
import { SqliteReadDatabase } from '../../src/projections/sqlite/sqlite-read-database.js';
import { capability, FINANCE } from './support/capabilities.js';
import { CapabilityNode, hostedAgent } from './support/capability-node.js';
import { become, register, revise } from './support/given-when-then.js';

/** Hosted for the same tenant, for another, and no longer. */
const [SISTER, RIVAL, GONE] = ['sister', 'rival', 'gone'].map((id) => `${id}-agent`) as [
  AgentId,
  AgentId,
  AgentId,
];

let folder: string;
let node: CapabilityNode;
let databases: SqliteReadDatabase[];
let runner: ProjectionRunner;
let vocabulary: ProjectedVocabulary;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-vocabulary-'));
  const hosted = [FINANCE, SISTER, RIVAL, GONE].map((agentId) => hostedAgent(agentId));
  node = await CapabilityNode.open({ folder, hosted });
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
    [hostedAgent(FINANCE), hostedAgent(SISTER), hostedAgent(RIVAL, { tenant: 'rival' })],
  );

async function caughtUp(): Promise<void> {
  const reached = await runner.waitFor(await node.store.head(), 10_000);
  if (!reached) throw new Error('the view does not follow');
}

async function given(...commands: readonly CapabilityCommand[]): Promise<void> {
  await node.performAll(...commands);
  await caughtUp();
}

/** Long after everything. */
const LATER = '2040-01-01T00:00:00.000Z' as Timestamp;

function which(
  words: readonly string[],
  moment = LATER,
  known = vocabulary.of(FINANCE),
): readonly string[] {
  return words.filter((word) => known.has(word, moment));
}

/** By a capability of an agent. */
const learn = (agentId: AgentId, id: string, action: string): CapabilityCommand => ({
  kind: 'register',
  manifest: { ...capability(id).manifest, agentId, action, data: [] },
});

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
    const before = vocabulary.of(FINANCE);
    await given({
      kind: 'register',
      manifest: { ...capability('other').manifest, action: null, data: [] },
    });
    await given(learn(RIVAL, 'theirs', 'poison'));
    expect(vocabulary.of(FINANCE)).toBe(before);
    await given({
      kind: 'register',
      manifest: { ...capability('third').manifest, action: 'audit', data: [] },
    });
    expect(vocabulary.of(FINANCE)).not.toBe(before);
    expect(before.has('audit', LATER)).toBe(false);
  });

  it('is what the agents of one tenant say, and nobody else', async () => {
    await given(learn(SISTER, 'sell', 'sell'), learn(RIVAL, 'theirs', 'poison'));
    await given(learn(GONE, 'old', 'oldest'));
    const words = ['sell', 'poison', 'oldest'];
    expect(which(words)).toEqual(['sell']);
    expect(which(words, LATER, vocabulary.of(SISTER))).toEqual(['sell']);
    expect(which(words, LATER, vocabulary.of(RIVAL))).toEqual(['poison']);
    expect(which(words, LATER, vocabulary.of(GONE))).toEqual(['oldest']);
    expect(which(words, LATER, vocabulary.everywhere())).toEqual(words);
    expect(which(WORDS, LATER, vocabulary.of('nobody' as AgentId))).toEqual([
      'set-by-the-deployment',
    ]);
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
