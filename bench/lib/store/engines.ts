import { join } from 'node:path';
import { EventStoreDBClient, NO_STREAM } from '@eventstore/db-client';
import { openEventStoreDb } from '../../../src/event-store/eventstoredb/eventstoredb-event-store.js';
import { toEventData } from '../../../src/event-store/eventstoredb/stored-event.js';
import { openPostgresEventStore } from '../../../src/event-store/postgres/postgres-event-store.js';
import { openSqliteEventStore } from '../../../src/event-store/sqlite/sqlite-event-store.js';
import { EventStoreDouble } from '../../../test/support/eventstoredb/double.js';
import { startPostgres } from '../../../test/support/postgres.js';
import { throughStore, type Append } from './appends.js';
import { NaivePostgres } from './naive-postgres.js';

/** Most writers of a load. */
export const WRITERS = 32;

/** An engine that runs here, and what its own client does without us. */
export interface Engine {
  readonly append: Append;
  /** By name; the first is what we are compared with. */
  readonly floors: Readonly<Record<string, Append>>;
  close(): Promise<void>;
}

/** Its floor is measured by itself, in the form that suits it. */
export async function openSqlite(folder: string): Promise<Engine> {
  const store = await openSqliteEventStore(join(folder, 'engine.db'));
  return { append: throughStore(store), floors: {}, close: () => store.close() };
}

/** The server of `POSTGRES_URL`, else one of our own on this machine. */
export async function openPostgres(): Promise<Engine> {
  const server = await startPostgres();
  const store = await openPostgresEventStore(server.url, {
    namespace: `bench_${String(Date.now())}`,
  });
  const naive = await NaivePostgres.open(server.url, WRITERS);
  return {
    append: throughStore(store),
    floors: { naive: naive.ordered, 'naive-unordered': naive.unordered },
    close: async () => {
      await naive.close();
      await store.close();
      await server.stop();
    },
  };
}

/** On the double, which keeps its log in memory: it says what we cost, not what the server does. */
export async function openDouble(): Promise<Engine> {
  const double = await EventStoreDouble.start();
  const store = await openEventStoreDb(double.connectionString);
  const client = EventStoreDBClient.connectionString(double.connectionString);
  return {
    append: throughStore(store),
    floors: {
      client: async (_, stream, after, events) => {
        await client.appendToStream(`raw/${stream}`, events.map(toEventData), {
          expectedRevision: after === -1 ? NO_STREAM : BigInt(after),
          credentials: { username: '', password: '' },
        });
      },
    },
    close: async () => {
      await store.close();
      await client.dispose();
      await double.stop();
    },
  };
}
