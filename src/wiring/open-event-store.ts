import { StartupError } from '../config/startup-error.js';
import {
  placeOf,
  type EventStoreLocation,
  type ForgettingLocation,
} from '../config/store-location.js';
import {
  EventStoreUnavailable,
  type DeletableEventStore,
  type EventStore,
} from '../event-store/port.js';
import { logFault } from '../http/fault-log.js';

/** What a store is for: how its faults are named, and what it calls its tables. */
interface Purpose {
  /** The setting that says where it is. */
  readonly variable: 'EVENT_STORE' | 'TASK_STORE';
  /** Of its tables in a database that several stores may share. */
  readonly namespace: 'log' | 'tasks';
}

/**
 * Opens the store of the log. Only the engine that is used is loaded.
 * @throws {StartupError} when it cannot be opened
 */
export async function openEventStore(location: EventStoreLocation): Promise<EventStore> {
  const purpose: Purpose = { variable: 'EVENT_STORE', namespace: 'log' };
  if (location.engine !== 'eventstoredb') return await openForgetting(location, purpose);
  return await orStartupError(purpose.variable, location, async () => {
    const { openEventStoreDb } =
      await import('../event-store/eventstoredb/eventstoredb-event-store.js');
    return await openEventStoreDb(location.connectionString, {
      onFault: faultLogger('event-store'),
    });
  });
}

/**
 * Opens the store of tasks, whose events are deleted for good.
 * @throws {StartupError} when it cannot be opened
 */
export async function openTaskStore(location: ForgettingLocation): Promise<DeletableEventStore> {
  return await openForgetting(location, { variable: 'TASK_STORE', namespace: 'tasks' });
}

function openForgetting(
  location: ForgettingLocation,
  { variable, namespace }: Purpose,
): Promise<DeletableEventStore> {
  const onFault = faultLogger(variable === 'EVENT_STORE' ? 'event-store' : 'task-store');
  return orStartupError(variable, location, async () => {
    if (location.engine === 'sqlite') {
      const { openSqliteEventStore } = await import('../event-store/sqlite/sqlite-event-store.js');
      return await openSqliteEventStore(location.path, { onFault });
    }
    const { openPostgresEventStore } =
      await import('../event-store/postgres/postgres-event-store.js');
    return await openPostgresEventStore(location.url, { namespace, onFault });
  });
}

function faultLogger(part: string): (fault: unknown) => void {
  return (fault) => {
    logFault(fault, part);
  };
}

/** Says of a server that is not there, or not as it must be, which setting names it. */
export async function orStartupError<Store>(
  variable: string,
  location: EventStoreLocation,
  open: () => Promise<Store>,
): Promise<Store> {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof EventStoreUnavailable)) throw error;
    throw new StartupError([`${variable} ${placeOf(location)}: ${error.message}`]);
  }
}
