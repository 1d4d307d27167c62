/**
 * The rebuild of all views from a log of sealed events, as after the deletion of the read database,
 * against a raw scan that reads, unseals and parses the same rows. Two sizes show that the time
 * grows with the log and memory does not.
 *
 * Each measurement has a process of its own, in turns. A second scan is as lazy as the rebuild: it
 * unseals only the types whose texts a view takes; what that leaves is the price of the views.
 */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { AGENT_EVENT_TYPES } from '../src/agents/event-types.js';
import { agentDirectory } from '../src/agents/projection.js';
import { openSqliteEventStore } from '../src/event-store/sqlite/sqlite-event-store.js';
import { openSqliteKeyStore } from '../src/event-store/sqlite/sqlite-key-store.js';
import { INTERACTION_EVENT_TYPES } from '../src/interactions/event-types.js';
import { contractsByPair } from '../src/interactions/contracts/projection.js';
import { interactionList } from '../src/interactions/projection.js';
import type { Projection } from '../src/projections/port.js';
import { ProjectionRunner } from '../src/projections/projection-runner.js';
import { SqliteReadDatabase } from '../src/projections/sqlite/sqlite-read-database.js';
import { giveMeasured, measuredInChild } from './lib/measured-child.js';
import { QUICK } from './lib/options.js';
import { growReplayLog } from './lib/replay-log.js';
import { scan } from './lib/replay-scan.js';
import { printFigure, printRatio } from './lib/report.js';
import { openScratch } from './lib/scratch.js';
import { median } from './lib/statistics.js';

const SIZES = QUICK ? [20_000, 100_000] : [100_000, 1_000_000];
const ROUNDS = QUICK ? 1 : 3;
const TYPES = { ...AGENT_EVENT_TYPES, ...INTERACTION_EVENT_TYPES };
const VIEWS: readonly Projection[] = [agentDirectory, contractsByPair, interactionList];
const ALL_TYPES = new Set(Object.keys(TYPES));

const TASKS = ['scan', 'rebuild', 'lazy-scan'] as const;
type Task = (typeof TASKS)[number];

interface Measured {
  readonly events: number;
  readonly seconds: number;
  /** Of the processor, all threads. */
  readonly cpuSeconds: number;
  /** Highest use while the work went on, in MiB. */
  readonly heap: number;
  readonly rss: number;
}

function filesIn(folder: string) {
  return {
    events: join(folder, 'events.db'),
    keys: join(folder, 'keys.db'),
    views: join(folder, 'views.db'),
  };
}

// ---- in the measured process

async function measure(task: Task, folder: string): Promise<Measured> {
  const peak = watchMemory();
  const cpu = process.cpuUsage();
  const started = performance.now();
  const events = task === 'rebuild' ? await rebuild(folder) : scanLog(task, folder);
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { events, seconds, cpuSeconds: (user + system) / 1e6, ...peak() };
}

function scanLog(task: Task, folder: string): number {
  const files = filesIn(folder);
  const taken = [...ALL_TYPES].filter((type) => VIEWS.some(({ takes }) => takes[type] === 'texts'));
  return scan(files.events, files.keys, task === 'scan' ? ALL_TYPES : new Set(taken));
}

async function rebuild(folder: string): Promise<number> {
  const files = filesIn(folder);
  const store = await openSqliteEventStore(files.events);
  const keys = await openSqliteKeyStore(files.keys, { randomBytes });
  const database = new SqliteReadDatabase(files.views);
  const runner = new ProjectionRunner({
    store,
    keys,
    types: TYPES,
    database,
    projections: VIEWS,
    clock: Date.now,
    report: (line, about) => {
      console.error(line, about);
    },
  });
  runner.start();
  const head = await store.head();
  if (!(await runner.waitFor(head, 600_000))) throw new Error('the views never caught up');
  const { projections } = await runner.health();
  if (projections.some(({ parkedEvents }) => parkedEvents > 0)) throw new Error('parked events');
  await runner.stop();
  database.close();
  await store.close();
  await keys.close();
  return Number(head);
}

function watchMemory(): () => { heap: number; rss: number } {
  let heap = 0;
  let rss = 0;
  const look = () => {
    const used = process.memoryUsage();
    heap = Math.max(heap, used.heapUsed / 2 ** 20);
    rss = Math.max(rss, used.rss / 2 ** 20);
  };
  look();
  const timer = setInterval(look, 10);
  return () => {
    clearInterval(timer);
    look();
    return { heap, rss };
  };
}

// ---- in the process that asks

async function inChild(task: Task, folder: string): Promise<Measured> {
  const views = filesIn(folder).views;
  for (const suffix of ['', '-wal', '-shm']) rmSync(views + suffix, { force: true });
  return measuredInChild(import.meta.url, ['measure', task, folder]);
}

interface Result {
  readonly label: string;
  readonly rate: number;
  readonly seconds: number;
  /** Highest resident memory of a rebuild, in MiB. */
  readonly rss: number;
  readonly heap: number;
  /** Our rate over the scan's, and over the lazy one's. */
  readonly ratio: number;
  readonly lazyRatio: number;
  /** The scan's processor time over ours: tells a busy machine from slow code. */
  readonly cpuRatio: number;
}

async function benchmark(size: number, folder: string): Promise<Result> {
  const events = await growLog(size, folder);
  const runs: Record<Task, Measured[]> = { scan: [], rebuild: [], 'lazy-scan': [] };
  for (let round = 0; round < ROUNDS; round++) {
    for (const task of TASKS) {
      const measured = await inChild(task, folder);
      if (measured.events !== events) throw new Error(`${task} saw another log`);
      runs[task].push(measured);
      console.log(`  ${task}: ${describe(measured)}`);
    }
  }
  const seconds = (task: Task) => median(runs[task].map((run) => run.seconds));
  const cpu = (task: Task) => median(runs[task].map((run) => run.cpuSeconds));
  return {
    label: `${String(size / 1000)}k`,
    rate: events / seconds('rebuild'),
    seconds: seconds('rebuild'),
    rss: Math.max(...runs.rebuild.map(({ rss }) => rss)),
    heap: Math.max(...runs.rebuild.map(({ heap }) => heap)),
    ratio: seconds('scan') / seconds('rebuild'),
    lazyRatio: seconds('lazy-scan') / seconds('rebuild'),
    cpuRatio: cpu('scan') / cpu('rebuild'),
  };
}

function describe({ events, seconds, cpuSeconds, heap, rss }: Measured): string {
  const rate = `${(events / seconds).toFixed(0)} events/s`;
  const cost = `${seconds.toFixed(2)} s (processor ${cpuSeconds.toFixed(2)} s)`;
  return `${rate}, ${cost}, heap ${heap.toFixed(0)} MiB, rss ${rss.toFixed(0)} MiB`;
}

/** @returns the number of events in the log. */
async function growLog(size: number, folder: string): Promise<number> {
  const files = filesIn(folder);
  const store = await openSqliteEventStore(files.events);
  const keys = await openSqliteKeyStore(files.keys, { randomBytes });
  const began = performance.now();
  await growReplayLog(store, keys, size);
  const events = Number(await store.head());
  await store.close();
  await keys.close();
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`log of ${String(events)} events, written in ${seconds} s`);
  return events;
}

async function main(): Promise<void> {
  const scratch = openScratch();
  const results: Result[] = [];
  try {
    for (const size of SIZES) results.push(await benchmark(size, scratch.folder));
  } finally {
    scratch.remove();
  }
  for (const { label, seconds, rate, rss, heap, lazyRatio, cpuRatio } of results) {
    printFigure(`replay-${label}`, seconds, 's');
    printFigure(`replay-${label}-rate`, rate, 'events/s');
    printFigure(`replay-${label}-rss-peak`, rss, 'MiB');
    printFigure(`replay-${label}-heap-peak`, heap, 'MiB');
    printFigure(`replay-${label}-of-lazy-scan`, lazyRatio, 'times');
    printFigure(`replay-${label}-processor-of-scan`, cpuRatio, 'times');
  }
  const [small, large] = results as [Result, Result];
  for (const { label, ratio } of results) printRatio(`replay-${label}`, ratio, 0.5);
  // 1: the time grows exactly as the log does, memory not at all. (The caches of the databases fill
  // up to their limits; memory that grows with the log would come to the ratio of the sizes.)
  printRatio('replay-linear', large.rate / small.rate, 0.8);
  printRatio('replay-memory-flat', small.rss / large.rss, 0.6);
}

const [, , mode, task, folder] = process.argv;
if (mode === 'measure' && task !== undefined && folder !== undefined) {
  await giveMeasured(await measure(task as Task, folder));
} else {
  await main();
}
