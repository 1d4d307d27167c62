/**
 * What the event store of each engine takes in, in one run: one writer, 32 writers, and 32 writers
 * that append several events at once; and how that stands against a floor of the same engine in the
 * same run, in turns:
 *
 * - SQLite: raw better-sqlite3 transactions of 64 of the same rows (`lib/store/sqlite-groups.ts`).
 * - PostgreSQL, on a server of our own or `POSTGRES_URL`: a connection per writer and a transaction per
 *   append, positions in commit order; beside it the plain loop without that order, which is no log:
 *   a reader who has passed a position never sees a lower one that is committed later.
 * - EventStoreDB, on the double: its client alone. The double stores nothing on disk.
 *
 * An engine that cannot be had makes the whole run fail; `--without-postgres` leaves that one out.
 */
import { rateOf, type Append, type Load, type Rate } from './lib/store/appends.js';
import { openDouble, openPostgres, openSqlite, WRITERS, type Engine } from './lib/store/engines.js';
import { measureSqliteGroups } from './lib/store/sqlite-groups.js';
import { QUICK } from './lib/options.js';
import { printFigure, printRatio } from './lib/report.js';
import { openScratch } from './lib/scratch.js';
import { median } from './lib/statistics.js';

const ROUNDS = QUICK ? 2 : 3;
const milliseconds = QUICK ? 300 : 1_000;

const LOADS: Readonly<Record<string, Load>> = {
  '1-writer': { writers: 1, eventsPerAppend: 1, milliseconds },
  '32-writers': { writers: WRITERS, eventsPerAppend: 1, milliseconds },
  batches: { writers: WRITERS, eventsPerAppend: 8, milliseconds },
};

/** The least that we want of 32 writers, as a multiple of the floor. */
const GOALS: Readonly<Record<string, number>> = { postgres: 3 };

const scratch = openScratch();
// First: what the double of EventStoreDB keeps in memory would be collected in its turns.
await measureSqliteGroups(scratch.folder);
await measure('sqlite', () => openSqlite(scratch.folder));
if (process.argv.includes('--without-postgres')) console.log('postgres is left out, as asked');
else await measure('postgres', openPostgres);
await measure('eventstoredb-double', openDouble);
scratch.remove();

/** An engine that cannot be had fails the run, and the others are measured all the same. */
async function measure(name: string, open: () => Promise<Engine>): Promise<void> {
  let engine: Engine;
  try {
    engine = await open();
  } catch (error) {
    console.error(`${name} does not run here: ${error instanceof Error ? error.message : ''}`);
    process.exitCode = 1;
    return;
  }
  try {
    await compare(name, engine);
  } finally {
    await engine.close();
  }
}

async function compare(name: string, { append, floors }: Engine): Promise<void> {
  for (const [load, each] of Object.entries(LOADS)) {
    const appends: Readonly<Record<string, Append>> = { ours: append, ...floors };
    const rates = new Map<string, Rate[]>(Object.keys(appends).map((who) => [who, []]));
    for (let round = 0; round < ROUNDS; round++) {
      // Who comes second finds a warmer machine: the order changes from round to round.
      const turns = Object.entries(appends);
      if (round % 2 === 1) turns.reverse();
      for (const [who, turn] of turns) rates.get(who)?.push(await rateOf(turn, each));
    }
    print(name, load, rates);
  }
}

function print(name: string, load: string, rates: ReadonlyMap<string, readonly Rate[]>): void {
  const rateBy = (who: string): number =>
    median((rates.get(who) ?? []).map(({ eventsPerSecond }) => eventsPerSecond));
  const p50 = median((rates.get('ours') ?? []).map(({ p50Ms }) => p50Ms));
  printFigure(`store-${name}-${load}`, rateBy('ours'), 'events/s');
  printFigure(`store-${name}-${load}-p50`, p50, 'ms');
  const floors = [...rates.keys()].filter((who) => who !== 'ours');
  for (const floor of floors) {
    printFigure(`store-${name}-${load}-${floor}`, rateBy(floor), 'events/s');
  }
  for (const [place, floor] of floors.entries()) {
    const ratio = rateBy('ours') / rateBy(floor);
    // The goal is against the first, which keeps what a log promises.
    const goal = place === 0 && load === '32-writers' ? GOALS[name] : undefined;
    if (goal === undefined) printFigure(`store-${name}-${load}-to-${floor}`, ratio, 'times');
    else printRatio(`store-${name}-${load}-to-${floor}`, ratio, goal);
  }
}
