/**
 * The rebuild of all views from a log of sealed events, as after the deletion of the read database,
 * against a raw scan that reads, unseals and parses the same rows. Two sizes show that the time
 * grows with the log and memory does not.
 *
 * Each measurement has a process of its own. The scan unseals only the types whose texts a view
 * takes (`replay-rate`); a second one unseals every sealed row (`replay-rate-all-texts`).
 */
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AGENT_EVENT_TYPES } from '../src/agents/event-types.js';
import { agentDirectory } from '../src/agents/projection.js';
import { openSqliteEventStore } from '../src/event-store/sqlite/sqlite-event-store.js';
import { openSqliteKeyStore } from '../src/event-store/sqlite/sqlite-key-store.js';
import { INTERACTION_EVENT_TYPES } from '../src/interactions/event-types.js';
import { interactionListProjection } from '../src/interactions/projection.js';
import type { Projection } from '../src/projections/port.js';
import { ProjectionRunner } from '../src/projections/projection-runner.js';
import { SqliteReadDatabase } from '../src/projections/sqlite/sqlite-read-database.js';
import { QUICK } from './lib/options.js';
import { writeReplayLog } from './lib/replay-log.js';
import { scan } from './lib/replay-scan.js';
import { printFigure, printRatio } from './lib/report.js';
import { openScratch } from './lib/scratch.js';
import { median } from './lib/statistics.js';

const SIZES = QUICK ? [20_000, 100_000] : [100_000, 1_000_000];
const ROUNDS = 3;
const TYPES = { ...AGENT_EVENT_TYPES, ...INTERACTION_EVENT_TYPES };
const VIEWS: readonly Projection[] = [agentDirectory, interactionListProjection];
const ALL_TYPES = new Set(Object.keys(TYPES));

type Task = 'scan' | 'scan-all' | 'rebuild';

interface Measured {
  readonly events: number;
  readonly seconds: number;
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
  const started = performance.now();
  const events = task === 'rebuild' ? await rebuild(folder) : scanLog(task, folder);
  const seconds = (performance.now() - started) / 1000;
  return { events, seconds, ...peak() };
}

function scanLog(task: Task, folder: string): number {
  const files = filesIn(folder);
  const taken = [...ALL_TYPES].filter((type) => VIEWS.some(({ takes }) => takes[type] === 'texts'));
  return scan(files.events, files.keys, task === 'scan' ? new Set(taken) : ALL_TYPES);
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
  const child = fork(fileURLToPath(import.meta.url), ['measure', task, folder]);
  const exit = once(child, 'exit');
  const [measured] = (await Promise.race([
    once(child, 'message'),
    exit.then(([code]: unknown[]) => Promise.reject(new Error(`${task} ended: ${String(code)}`))),
  ])) as [Measured];
  await exit;
  return measured;
}

interface Result {
  readonly size: number;
  readonly seconds: number;
  readonly rate: number;
  readonly heap: number;
  readonly rss: number;
  readonly ratio: number;
  readonly ratioAll: number;
}

async function benchmark(size: number, folder: string): Promise<Result> {
  const files = filesIn(folder);
  const store = await openSqliteEventStore(files.events);
  const keys = await openSqliteKeyStore(files.keys, { randomBytes });
  const began = performance.now();
  await writeReplayLog(store, keys, size);
  const events = Number(await store.head());
  await store.close();
  await keys.close();
  const writing = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`${String(size)}: ${String(events)} events written in ${writing} s`);
  const rounds: { scan: Measured; all: Measured; ours: Measured }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const scanned = await inChild('scan', folder);
    const ours = await inChild('rebuild', folder);
    const all = await inChild('scan-all', folder);
    rounds.push({ scan: scanned, all, ours });
    for (const [task, { seconds, heap, rss }] of Object.entries({ scanned, all, rebuilt: ours })) {
      const rate = (events / seconds).toFixed(0);
      const memory = `heap ${heap.toFixed(0)} MiB, rss ${rss.toFixed(0)} MiB`;
      console.log(`  ${task}: ${seconds.toFixed(2)} s, ${rate} events/s, ${memory}`);
    }
  }
  const seconds = median(rounds.map(({ ours }) => ours.seconds));
  return {
    size,
    seconds,
    rate: events / seconds,
    heap: Math.max(...rounds.map(({ ours }) => ours.heap)),
    rss: Math.max(...rounds.map(({ ours }) => ours.rss)),
    ratio: median(rounds.map(({ scan: floor, ours }) => floor.seconds / ours.seconds)),
    ratioAll: median(rounds.map(({ all, ours }) => all.seconds / ours.seconds)),
  };
}

async function main(): Promise<void> {
  const results: Result[] = [];
  for (const size of SIZES) {
    const scratch = openScratch();
    try {
      results.push(await benchmark(size, scratch.folder));
    } finally {
      scratch.remove();
    }
  }
  const [small, large] = results as [Result, Result];
  for (const { size, seconds, rate, heap, rss } of results) {
    const at = `${String(size / 1000)}k`;
    printFigure(`replay-${at}`, seconds, 's');
    printFigure(`replay-${at}-rate`, rate, 'events/s');
    printFigure(`replay-${at}-heap-peak`, heap, 'MiB');
    printFigure(`replay-${at}-rss-peak`, rss, 'MiB');
  }
  for (const { size, ratio, ratioAll } of results) {
    printRatio(`replay-${String(size / 1000)}k-rate-all-texts`, ratioAll, 0.5);
    printRatio(`replay-${String(size / 1000)}k-rate`, ratio, 0.5);
  }
  // 1 is exactly linear, below is worse; memory: 1 is exactly flat, below is worse.
  printRatio('replay-linear', large.rate / small.rate, 0.8);
  printRatio('replay-memory-flat', small.heap / large.heap, 0.5);
}

const [, , mode, task, folder] = process.argv;
if (mode === 'measure' && task !== undefined && folder !== undefined) {
  process.send?.(await measure(task as Task, folder));
  process.disconnect();
} else {
  await main();
}
