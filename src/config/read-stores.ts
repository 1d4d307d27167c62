import { join } from 'node:path';
import type { EnvironmentReader } from './environment.js';
import { engineMeant, parseStoreLocation } from './parse-store-location.js';
import type {
  Engine,
  EventStoreLocation,
  ForgettingLocation,
  LocationOf,
  PostgresLocation,
  SqliteLocation,
} from './store-location.js';

/** What nodes share when they are several. */
export interface SharedStores {
  readonly eventStore: EventStoreLocation;
  readonly keyStore: ForgettingLocation;
  readonly taskStore: ForgettingLocation;
}

const FORGETTING = ['sqlite', 'postgres'] as const;

/**
 * Reads `EVENT_STORE`, `KEY_STORE` and `TASK_STORE`. Keys and tasks are in the log's PostgreSQL
 * database unless another place is named. A log in EventStoreDB cannot keep what must be deleted:
 * there `KEY_STORE` has to be named, and tasks are in its database when that is PostgreSQL.
 */
export function readStores(reader: EnvironmentReader, dataFolder: string): SharedStores {
  const file = (name: string): SqliteLocation => ({
    engine: 'sqlite',
    path: join(dataFolder, name),
  });
  const named = {
    eventStore: readLocation(reader, 'EVENT_STORE', ['sqlite', 'postgres', 'eventstoredb']),
    keyStore: readLocation(reader, 'KEY_STORE', FORGETTING),
    taskStore: readLocation(reader, 'TASK_STORE', FORGETTING),
  };
  const eventStore = named.eventStore ?? file('events.db');
  // Also of a setting that is at fault elsewhere: all faults are told at once.
  if (engineMeant(reader.optional('EVENT_STORE') ?? '') === 'eventstoredb') {
    const choice = 'postgres://…, or sqlite:<path> for a single node';
    reader.required('KEY_STORE', `when EVENT_STORE is an EventStoreDB: ${choice}`);
  }
  const keyStore = named.keyStore ?? inPostgres(eventStore) ?? file('keys.db');
  const shared = inPostgres(eventStore) ?? inPostgres(keyStore);
  return { eventStore, keyStore, taskStore: named.taskStore ?? shared ?? file('tasks.db') };
}

/** A file of the node's own. */
export function readFile(
  reader: EnvironmentReader,
  variable: string,
  fallback: string,
): SqliteLocation {
  return readLocation(reader, variable, ['sqlite']) ?? { engine: 'sqlite', path: fallback };
}

/** Undefined when unset, and after a fault. */
function readLocation<E extends Engine>(
  reader: EnvironmentReader,
  variable: string,
  engines: readonly E[],
): LocationOf<E> | undefined {
  const text = reader.optional(variable);
  if (text === undefined) return undefined;
  const location = parseStoreLocation(text, engines);
  if (location.ok) return location.value;
  reader.fault(variable, location.error);
  return undefined;
}

function inPostgres(location: EventStoreLocation): PostgresLocation | undefined {
  return location.engine === 'postgres' ? location : undefined;
}
