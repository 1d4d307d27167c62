import { openEventStoreDb } from '../../src/event-store/eventstoredb/eventstoredb-event-store.js';
import { START, type EventStore } from '../../src/event-store/port.js';
import { openPostgresEventStore } from '../../src/event-store/postgres/postgres-event-store.js';
import { value } from '../contracts/support/reading.js';
import { freshDatabase } from '../e2e/support/postgres-stores.js';
import { EventStoreDouble } from './eventstoredb/double.js';

/** Where a log is moved to. */
interface OtherEngine {
  /** What `EVENT_STORE` is. */
  readonly url: string;
  open(): Promise<EventStore>;
  stop(): Promise<void>;
}

/** Those to which a log on SQLite may be moved: each starts empty. */
export const OTHER_ENGINES: Readonly<Record<string, () => Promise<OtherEngine>>> = {
  postgres: async () => {
    const database = await freshDatabase();
    return { ...database, open: () => openPostgresEventStore(database.url, { namespace: 'log' }) };
  },
  eventstoredb: async () => {
    const double = await EventStoreDouble.start();
    const url = double.connectionString;
    return { url, open: () => openEventStoreDb(url), stop: () => double.stop() };
  },
};

/** Copies a log into an empty one of another engine, event by event, as docs/engines.md says. */
export async function copyLog(from: EventStore, to: EventStore): Promise<void> {
  for await (const { position: _, stream, revision, ...event } of from.readAll(START)) {
    if (!isCopied(stream)) continue;
    value(await to.append(stream, revision === 0 ? 'no-stream' : revision - 1, [event]));
  }
}

function isCopied(stream: string): boolean {
  return !stream.startsWith('process-') || stream.startsWith('process-erasure-retention-');
}
