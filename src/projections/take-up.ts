import { START, type EventStore, type Position } from '../event-store/port.js';
import * as bookkeeping from './bookkeeping.js';
import { firstOf } from './first-of.js';
import type { Projection } from './port.js';
import type { ReadDatabase } from './read-database.js';
import { TrackedProjection } from './tracked-projection.js';

/** The log that views are of, as it was a moment ago. */
export interface LogState {
  readonly head: Position;
  /** See {@link logIdentity}. */
  readonly identity: string | undefined;
}

/** @param engine see {@link logIdentity} */
export async function stateOfLog(store: EventStore, engine: string): Promise<LogState> {
  return { head: await store.head(), identity: await logIdentity(store, engine) };
}

/**
 * Takes up what the read database holds, and empties every view that cannot be continued: a new or
 * changed one, and all of them when the rows come from another log or from a later state of it.
 *
 * At once: whoever reads rows that were undone must not be told by what was known of them before.
 *
 * @param retryAllAt at the first session of a process: when to begin another round of tries for the
 * events whose retries are used up, milliseconds since the epoch; null at the later ones.
 * @param before how a projection stood before, in this process.
 */
export function takeUp(
  { head, identity: log }: LogState,
  database: ReadDatabase,
  projections: readonly Projection[],
  {
    retryAllAt,
    before,
  }: {
    readonly retryAllAt: number | null;
    readonly before: (projection: string) => TrackedProjection | undefined;
  },
): TrackedProjection[] {
  database.resume();
  return database.transaction((db) => {
    bookkeeping.createBookkeeping(db);
    bookkeeping.forgetOthers(
      db,
      projections.map(({ name }) => name),
    );
    if (retryAllAt !== null) bookkeeping.planAnotherRound(db, retryAllAt);
    const sameLog = bookkeeping.getSetting(db, 'log') === log;
    if (!sameLog && log !== undefined) bookkeeping.putSetting(db, 'log', log);
    return projections.map((projection) => {
      const { name, version } = projection;
      let stored = bookkeeping.getCheckpoint(db, name);
      const continues =
        stored?.version === version &&
        (sameLog || stored.position === START) &&
        // An older copy of the log was put back: what came after it never happened.
        stored.position <= head;
      if (stored === undefined || !continues) {
        stored = { version, position: START, complete: false };
        projection.reset(db);
        bookkeeping.unparkAll(db, name);
        bookkeeping.putCheckpoint(db, name, stored);
      }
      const parked = bookkeeping.parkedOf(db, name).map(({ stream }) => stream);
      const { caughtUp = false, isCareful = false } = before(name) ?? {};
      return new TrackedProjection(projection, stored, parked, continues && caughtUp, isCareful);
    });
  });
}

/** Says in the database which log its rows come from, as soon as the log has an event. */
export async function nameLog(
  store: EventStore,
  engine: string,
  database: ReadDatabase,
): Promise<void> {
  const log = await logIdentity(store, engine);
  if (log === undefined) return;
  database.transaction((db) => {
    bookkeeping.putSetting(db, 'log', log);
  });
}

/**
 * Tells one log from another: the engine, whose positions mean nothing to any other, also when it
 * holds a copy, and the id of the first event; undefined for an empty one.
 */
async function logIdentity(store: EventStore, engine: string): Promise<string | undefined> {
  const first = await firstOf(store.readAll(START));
  return first && `${engine} ${first.id}`;
}
