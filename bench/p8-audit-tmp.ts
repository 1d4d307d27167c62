/**
 * The export of a log and its offline audit, which recomputes every leaf, the tree, every signature
 * and the state of every interaction, against the raw work of the same data on as many threads:
 * reading, JSON, SHA-256, Ed25519.
 *
 * Each measurement has a process of its own. Memory is compared at a tenth of the log and at its end.
 */
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lineBlocks } from '../src/cli/audit/line-blocks.js';
import { LogAudit } from '../src/cli/audit/log-audit.js';
import { openSqliteEventStore } from '../src/event-store/sqlite/sqlite-event-store.js';
import { openSqliteKeyStore } from '../src/event-store/sqlite/sqlite-key-store.js';
import { AUDIT_AUDIENCE } from './lib/audit-agents.js';
import { exportLog } from './lib/audit-export.js';
import { auditFloor } from './lib/audit-floor.js';
import { growAuditLog } from './lib/audit-log.js';
import { QUICK } from './lib/options.js';
import { printFigure, printRatio } from './lib/report.js';
import { openScratch } from './lib/scratch.js';
import { median } from './lib/statistics.js';

const EVENTS = QUICK ? 200_000 : 1_000_000;
const ROUNDS = QUICK ? 1 : 3;
const THREADS = availableParallelism();
const CHUNK_BYTES = 1024 * 1024;

type Task = 'grow' | 'export' | 'floor' | 'audit';

interface Measured {
  readonly events: number;
  readonly seconds: number;
  /** Of the processor, all threads. */
  readonly cpuSeconds: number;
  /** Resident memory in MiB at a tenth of the log, and the highest after that. */
  readonly rssAtTenth: number;
  readonly rssPeak: number;
}

// ---- in the measured process

async function measure(task: Task, folder: string): Promise<Measured> {
  const memory = { rssAtTenth: 0, rssPeak: 0 };
  const cpu = process.cpuUsage();
  const started = performance.now();
  const events = await perform(task, folder, memory);
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { events, seconds, cpuSeconds: (user + system) / 1e6, ...memory };
}

interface Memory {
  rssAtTenth: number;
  rssPeak: number;
}

async function perform(task: Task, folder: string, memory: Memory): Promise<number> {
  const file = join(folder, 'log.ndjson');
  if (task === 'floor') return (await auditFloor(file, THREADS)).events;
  if (task === 'audit') return audit(file, memory);
  const store = await openSqliteEventStore(join(folder, 'events.db'));
  const keys = await openSqliteKeyStore(join(folder, 'keys.db'), { randomBytes });
  if (task === 'grow') await growAuditLog(store, keys, EVENTS);
  else await exportLog(store, keys, file);
  const events = Number(await store.head());
  await store.close();
  await keys.close();
  return events;
}

async function audit(file: string, memory: Memory): Promise<number> {
  const log = new LogAudit({ audience: AUDIT_AUDIENCE, threads: THREADS, documents: false });
  await log.take(lineBlocks(watched(file, memory)));
  const { result, counts, findings } = await log.events(true);
  await log.end();
  if (result !== 'verified') throw new Error(JSON.stringify({ counts, findings }, undefined, 1));
  return log.size;
}

async function* watched(file: string, memory: Memory): AsyncGenerator<Uint8Array, void> {
  const { size } = statSync(file);
  let read = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: CHUNK_BYTES })) {
    yield chunk as Buffer;
    read += (chunk as Buffer).length;
    const rss = process.memoryUsage.rss() / 2 ** 20;
    if (read < size / 10) memory.rssAtTenth = rss;
    else memory.rssPeak = Math.max(memory.rssPeak, rss);
  }
}

// ---- in the process that asks

async function inChild(task: Task, folder: string): Promise<Measured> {
  const size = QUICK ? ['--quick'] : [];
  const child = fork(fileURLToPath(import.meta.url), ['measure', task, folder, ...size], {
    execArgv: process.execArgv,
  });
  const exit = once(child, 'exit');
  const [measured] = (await Promise.race([
    once(child, 'message'),
    exit.then(([code]: unknown[]) => Promise.reject(new Error(`${task} ended: ${String(code)}`))),
  ])) as [Measured];
  await exit;
  const { events, seconds, cpuSeconds } = measured;
  const rate = `${(events / seconds).toFixed(0)} events/s`;
  console.log(`  ${task}: ${rate}, ${seconds.toFixed(2)} s (processor ${cpuSeconds.toFixed(2)} s)`);
  return measured;
}

async function main(): Promise<void> {
  const scratch = openScratch();
  const runs: Record<Task, Measured[]> = { grow: [], export: [], floor: [], audit: [] };
  try {
    runs.grow.push(await inChild('grow', scratch.folder));
    for (let round = 0; round < ROUNDS; round++) {
      for (const task of ['export', 'floor', 'audit'] as const) {
        runs[task].push(await inChild(task, scratch.folder));
      }
    }
    const bytes = statSync(join(scratch.folder, 'log.ndjson')).size;
    const events = runs.audit[0]?.events ?? 0;
    if (events !== runs.floor[0]?.events) throw new Error('the floor saw another log');
    printFigure('audit-export-size', bytes / 2 ** 20, 'MiB');
    printFigure('audit-threads', THREADS, 'threads');
    for (const task of ['export', 'floor', 'audit'] as const) {
      printFigure(`audit-${task}-rate`, events / secondsOf(runs[task]), 'events/s');
    }
    const [first] = runs.audit;
    printFigure('audit-rss-at-tenth', first?.rssAtTenth ?? 0, 'MiB');
    printFigure('audit-rss-peak', first?.rssPeak ?? 0, 'MiB');
  } finally {
    scratch.remove();
  }
  const floor = secondsOf(runs.floor);
  printRatio('audit-of-floor', floor / secondsOf(runs.audit), 0.5);
  printRatio('audit-processor-of-floor', cpuOf(runs.floor) / cpuOf(runs.audit), 0.5);
  printRatio('export-of-floor', floor / secondsOf(runs.export), 0.5);
}

function secondsOf(runs: readonly Measured[]): number {
  return median(runs.map(({ seconds }) => seconds));
}

function cpuOf(runs: readonly Measured[]): number {
  return median(runs.map(({ cpuSeconds }) => cpuSeconds));
}

const [, , mode, task, folder] = process.argv;
if (mode === 'measure' && task !== undefined && folder !== undefined) {
  const measured = await measure(task as Task, folder);
  process.send?.(measured);
  process.disconnect();
} else {
  await main();
}
