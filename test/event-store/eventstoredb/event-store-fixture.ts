import { randomUUID } from 'node:crypto';
import type { EventStore } from '../../../src/event-store/port.js';
import {
  openEventStoreDb,
  type EventStoreDbStore,
} from '../../../src/event-store/eventstoredb/eventstoredb-event-store.js';
import type { TestLog } from '../../contracts/event-store/fixture.js';
import { EventStoreDouble, type DoubleOptions } from '../../support/eventstoredb/double.js';
import { ClientNetwork } from '../../support/eventstoredb/network-outage.js';

/** Shorter than the service's, since a test waits for it to end. */
const PATIENCE_MS = 2_000;

/**
 * What another process calls.
 * @public
 */
export function open(address: string): Promise<EventStore> {
  const [connectionString = '', namespace = ''] = address.split(' ');
  return openEventStoreDb(connectionString, { namespace, patienceMs: PATIENCE_MS });
}

/** A log in a double of its own. */
export async function makeDoubleLog(options: DoubleOptions = {}): Promise<TestLog> {
  const double = await EventStoreDouble.start(options);
  const { wire } = double.leader;
  const log = logIn(double.connectionString, () => wire.block());
  return {
    ...log,
    dispose: async () => {
      await log.dispose();
      await double.stop();
    },
  };
}

/** A log in a server or cluster that others use too. */
export async function makeServerLog(connectionString: string): Promise<TestLog> {
  const network = new ClientNetwork();
  const log = logIn(connectionString, async () => {
    const restore = network.takeAway();
    return async () => {
      restore();
    };
  });
  return {
    ...log,
    dispose: async () => {
      await log.dispose();
      network.close();
    },
  };
}

/** Under a namespace of its own, so that it is as good as empty. */
function logIn(connectionString: string, interrupt: TestLog['interrupt']): TestLog {
  const namespace = `test-${randomUUID()}/`;
  const address = `${connectionString} ${namespace}`;
  const stores: EventStoreDbStore[] = [];
  return {
    open: async () => {
      const store = (await open(address)) as EventStoreDbStore;
      stores.push(store);
      return store;
    },
    elsewhere: { module: import.meta.url, address },
    interrupt,
    dispose: async () => {
      for (const store of stores) await store.close();
    },
  };
}
