/**
 * Grouped appends through the SQLite event store against raw better-sqlite3 transactions of 64 of
 * the same rows, with the same schema and pragmas, in turns in one process.
 *
 * The floor's rows are ready text; our side is given envelopes and does all that an append means:
 * write them out, check the expected revision, share a commit, answer each writer. `npm run bench:store`
 * gives node the room for young objects that `npm start` gives it.
 */
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import Database from 'better-sqlite3';
import type { NewEnvelope } from '../../../src/kernel/envelope.js';
import {
  openSqliteEventStore,
  type SqliteEventStore,
} from '../../../src/event-store/sqlite/sqlite-event-store.js';
import { configure } from '../../../src/event-store/sqlite/database.js';
import { EVENT_STORE_FILE } from '../../../src/event-store/sqlite/event-store-file.js';
import { toRow } from '../../../src/event-store/event-row.js';
import { QUICK } from '../options.js';
import { printCeiling, printFigure, printRatio } from '../report.js';
import { sampleEnvelope } from '../sample-envelope.js';
import { median, quantile } from '../statistics.js';

const WRITERS = 64;
const EVENTS_PER_STREAM = 4;
const STEPS = QUICK ? 80 : 400;
const ROUNDS = QUICK ? 7 : 15;
const P99_CEILING_MS = 20;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What one writer appends in one step. */
interface Step {
  readonly stream: string;
  /** Revision of the event. */
  readonly revision: number;
  readonly envelope: NewEnvelope;
}

/** The same, as the floor writes it. */
interface RawRow {
  /** Name of the stream that begins with this event. */
  readonly begins: string | undefined;
  readonly event: [stream: number, revision: number, type: string, id: string, body: string];
}

/** `steps[s][w]`: every writer fills one stream after the other. */
function makeSteps(): Step[][] {
  const streams: string[] = [];
  return Array.from({ length: STEPS }, (_, step) =>
    Array.from({ length: WRITERS }, (_, writer) => {
      const revision = step % EVENTS_PER_STREAM;
      if (revision === 0) streams[writer] = `interaction-${crypto.randomUUID()}`;
      return { stream: streams[writer] ?? '', revision, envelope: sampleEnvelope(randomBytes) };
    }),
  );
}

async function ourRound(
  store: SqliteEventStore,
  steps: Step[][],
  latencies: number[],
): Promise<number> {
  const start = performance.now();
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      for (const step of steps) {
        const { stream, revision, envelope } = step[writer] as Step;
        const sent = performance.now();
        const expected = revision === 0 ? 'no-stream' : revision - 1;
        const appended = await store.append(stream, expected, [envelope]);
        latencies.push(performance.now() - sent);
        if (!appended.ok) throw new Error('the benchmark lost a race that it does not run');
      }
    }),
  );
  return performance.now() - start;
}

function openFloor(path: string): (batches: readonly RawRow[][], latencies: number[]) => number {
  const database = new Database(path);
  configure(database);
  database.exec(EVENT_STORE_FILE.schema);
  const insertStream = database.prepare('INSERT INTO streams (number, name) VALUES (?, ?)');
  const insertEvent = database.prepare(
    'INSERT INTO events (stream, revision, type, id, body) VALUES (?, ?, ?, ?, ?)',
  );
  const insertBatch = database.transaction((rows: readonly RawRow[]) => {
    for (const { begins, event } of rows) {
      if (begins !== undefined) insertStream.run(event[0], begins);
      insertEvent.run(...event);
    }
  });
  return (batches, latencies) => {
    const start = performance.now();
    for (const batch of batches) {
      const begun = performance.now();
      insertBatch.immediate(batch);
      latencies.push(performance.now() - begun);
    }
    return performance.now() - start;
  };
}

/** Prints what grouped appends reach of what raw transactions do. */
export async function measureSqliteGroups(folder: string): Promise<void> {
  const store = await openSqliteEventStore(join(folder, 'ours.db'));
  const floor = openFloor(join(folder, 'floor.db'));

  const floorStreams: number[] = [];
  let lastFloorStream = 0;
  const ratios: number[] = [];
  const ourRates: number[] = [];
  const floorRates: number[] = [];
  const latencies: number[] = [];
  const batchLatencies: number[] = [];
  const rows = STEPS * WRITERS;
  for (let round = 0; round < ROUNDS; round++) {
    const steps = makeSteps();
    const batches = steps.map((step) =>
      step.map(({ stream, revision, envelope }, writer): RawRow => {
        const { type, id, body } = toRow(envelope);
        if (revision === 0) floorStreams[writer] = ++lastFloorStream;
        return {
          begins: revision === 0 ? stream : undefined,
          event: [floorStreams[writer] ?? 0, revision, type, id, body],
        };
      }),
    );
    // What was prepared is neither's garbage: it is old before the clock runs.
    collectGarbage();
    // Who comes second finds a warmer machine: the order changes from round to round.
    let ours = 0;
    if (round % 2 === 0) ours = await ourRound(store, steps, latencies);
    const theirs = floor(batches, batchLatencies);
    if (round % 2 === 1) ours = await ourRound(store, steps, latencies);
    ourRates.push((rows / ours) * 1000);
    floorRates.push((rows / theirs) * 1000);
    ratios.push(theirs / ours);
  }
  await store.close();
  printFigure('store-append-rate', median(ourRates), 'appends/s');
  printFigure('store-floor-rate', median(floorRates), 'rows/s');
  printFigure('store-floor-batch-p50', quantile(batchLatencies, 0.5), 'ms');
  printFigure('store-floor-batch-p99', quantile(batchLatencies, 0.99), 'ms');
  printFigure('store-append-p50', quantile(latencies, 0.5), 'ms');
  printCeiling('store-append-p99', quantile(latencies, 0.99), 'ms', P99_CEILING_MS);
  printFigure('store-append-max', quantile(latencies, 1), 'ms');
  printRatio('store-append', median(ratios), 0.7);
}
