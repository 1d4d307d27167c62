/**
 * The export of a log and its offline audit, which recomputes every leaf, the tree, every signature
 * and the state of every interaction, against the raw work of the same data on as many threads:
 * reading, JSON, SHA-256, and Ed25519 by `node:crypto`; beside it the same with libsodium, which the audit asks
 * first: what is left then is the price of all that is not raw work.
 *
 * And the proofs of a log of a million entries, from the tiles that the service keeps.
 *
 * Each measurement has a process of its own. Of export and audit the resident memory of the whole process is
 * watched, as `ps` tells it: the highest until a quarter of the log is done against the highest after that.
 */
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { chunksOf } from '../src/cli/audit/export-chunks.js';
import { lineBlocks } from '../src/cli/audit/line-blocks.js';
import { LogAudit } from '../src/cli/audit/log-audit.js';
import { openSqliteEventStore } from '../src/event-store/sqlite/sqlite-event-store.js';
import { openSqliteKeyStore } from '../src/event-store/sqlite/sqlite-key-store.js';
import { AUDIT_AUDIENCE } from './lib/audit-agents.js';
import { exportLog } from './lib/audit-export.js';
import { auditFloor } from './lib/audit-floor.js';
import { growAuditLog } from './lib/audit-log.js';
import { growTree, timeProofs, type ProofTimes } from './lib/audit-proofs.js';
import { giveMeasured, measuredInChild } from './lib/measured-child.js';
import { QUICK } from './lib/options.js';
import { printCeiling, printFigure, printRatio } from './lib/report.js';
import { MemoryWatch, type ResidentMemory } from './lib/resident-memory.js';
import { openScratch } from './lib/scratch.js';
import { quantile } from './lib/statistics.js';

const EVENTS = QUICK ? 50_000 : 1_000_000;
const THREADS = availableParallelism();
/** Of the tree whose proofs are measured, in the quick form too. */
const LEAVES = 1_000_000;
/** Proofs of either kind. */
const QUESTIONS = QUICK ? 1_000 : 10_000;
/** Memory that grows by a tenth at most while the log grows fourfold counts as flat. */
const FLAT = 0.91;

type Task = 'grow' | 'export' | 'floor' | 'libsodium-floor' | 'audit' | 'tree' | 'proofs';

interface Measured {
  readonly events: number;
  readonly seconds: number;
  /** Of the processor, all threads. */
  readonly cpuSeconds: number;
  /** Null where it is not watched. */
  readonly memory: ResidentMemory | null;
  readonly proofs?: ProofTimes;
}

type Performed = Pick<Measured, 'events' | 'memory' | 'proofs'>;

// ---- in the measured process

async function measure(task: Task, folder: string): Promise<Measured> {
  const cpu = process.cpuUsage();
  const started = performance.now();
  const performed = await perform(task, folder);
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { ...performed, seconds, cpuSeconds: (user + system) / 1e6 };
}

async function perform(task: Task, folder: string): Promise<Performed> {
  const file = join(folder, 'log.ndjson');
  if (task === 'floor' || task === 'libsodium-floor') {
    const verifier = task === 'floor' ? 'OpenSSL' : 'libsodium';
    const { events } = await auditFloor(file, THREADS, verifier);
    return { events, memory: null };
  }
  if (task === 'audit') return audit(file);
  const tree = join(folder, 'tree.db');
  if (task === 'tree') {
    growTree(tree, LEAVES);
    return { events: LEAVES, memory: null };
  }
  if (task === 'proofs') {
    return { events: 2 * QUESTIONS, memory: null, proofs: timeProofs(tree, QUESTIONS) };
  }
  const store = await openSqliteEventStore(join(folder, 'events.db'));
  const keys = await openSqliteKeyStore(join(folder, 'keys.db'), { randomBytes });
  const watch = new MemoryWatch(EVENTS);
  if (task === 'grow') await growAuditLog(store, keys, EVENTS);
  else {
    await exportLog(store, keys, file, (events) => {
      watch.sample(events);
    });
  }
  const events = Number(await store.head());
  await store.close();
  await keys.close();
  return { events, memory: task === 'export' ? watch.memory : null };
}

async function audit(file: string): Promise<Performed> {
  const log = new LogAudit({ audience: AUDIT_AUDIENCE, threads: THREADS, documents: false });
  const watch = new MemoryWatch(statSync(file).size);
  await log.take(lineBlocks(watched(file, watch)));
  const { result, counts, findings } = await log.events(true);
  watch.sample(Infinity);
  await log.end();
  if (result !== 'verified') throw new Error(JSON.stringify({ counts, findings }, undefined, 1));
  return { events: log.size, memory: watch.memory };
}

async function* watched(file: string, watch: MemoryWatch): AsyncGenerator<Uint8Array, void> {
  let read = 0;
  for await (const chunk of chunksOf(file)) {
    yield chunk;
    read += chunk.length;
    watch.sample(read);
  }
}

// ---- in the process that asks

async function inChild(task: Task, folder: string): Promise<Measured> {
  const size = QUICK ? ['--quick'] : [];
  const asked = ['measure', task, folder, ...size];
  const measured = await measuredInChild<Measured>(import.meta.url, asked);
  const { events, seconds, cpuSeconds } = measured;
  const what = task === 'tree' ? 'leaves' : task === 'proofs' ? 'proofs' : 'events';
  const rate = `${(events / seconds).toFixed(0)} ${what}/s`;
  console.log(`  ${task}: ${rate}, ${seconds.toFixed(2)} s (processor ${cpuSeconds.toFixed(2)} s)`);
  return measured;
}

async function main(): Promise<void> {
  const scratch = openScratch();
  try {
    await inChild('grow', scratch.folder);
    const exported = await inChild('export', scratch.folder);
    const floor = await inChild('floor', scratch.folder);
    const audited = await inChild('audit', scratch.folder);
    const quickerFloor = await inChild('libsodium-floor', scratch.folder);
    await inChild('tree', scratch.folder);
    const { proofs } = await inChild('proofs', scratch.folder);
    if (audited.events !== floor.events) throw new Error('the floor saw another log');
    const bytes = statSync(join(scratch.folder, 'log.ndjson')).size;
    printFigure('audit-export-size', bytes / 2 ** 20, 'MiB');
    printFigure('audit-threads', THREADS, 'threads');
    for (const [task, measured] of Object.entries({ export: exported, floor, audit: audited })) {
      printFigure(`audit-${task}-rate`, measured.events / measured.seconds, 'events/s');
    }
    printFigure('audit-of-libsodium-floor', quickerFloor.seconds / audited.seconds, 'times');
    const ofProcessor = quickerFloor.cpuSeconds / audited.cpuSeconds;
    printFigure('audit-processor-of-libsodium-floor', ofProcessor, 'times');
    printProofs(proofs);
    printFlatness('export', exported);
    printFlatness('audit', audited);
    printRatio('audit-of-floor', floor.seconds / audited.seconds, 0.5);
    printRatio('audit-processor-of-floor', floor.cpuSeconds / audited.cpuSeconds, 0.5);
    printRatio('export-of-floor', floor.seconds / exported.seconds, 0.5);
  } finally {
    scratch.remove();
  }
}

function printProofs(proofs: ProofTimes | undefined): void {
  if (proofs === undefined) throw new Error('no proofs were measured');
  printFigure('audit-proof-leaves', LEAVES, 'leaves');
  for (const kind of ['inclusion', 'consistency'] as const) {
    printCeiling(`audit-${kind}-proof-p50`, quantile(proofs[kind], 0.5), 'ms', 5);
    printCeiling(`audit-${kind}-proof-p99`, quantile(proofs[kind], 0.99), 'ms', 10);
  }
}

function printFlatness(name: string, { memory }: Measured): void {
  if (memory === null) throw new Error(`the memory of ${name} was not watched`);
  printFigure(`${name}-rss-at-quarter`, memory.atQuarter, 'MiB');
  printFigure(`${name}-rss-peak`, memory.peak, 'MiB');
  printRatio(`${name}-rss-at-quarter-of-peak`, memory.atQuarter / memory.peak, FLAT);
}

const [, , mode, task, folder] = process.argv;
if (mode === 'measure' && task !== undefined && folder !== undefined) {
  await giveMeasured(await measure(task as Task, folder));
} else {
  await main();
}
