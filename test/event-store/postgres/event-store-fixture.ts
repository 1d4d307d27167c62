import {
  openPostgresEventStore,
  type PostgresEventStore,
} from '../../../src/event-store/postgres/postgres-event-store.js';
import type { DeletableTestLog } from '../../contracts/event-store/fixture.js';
import { dropNamespace, freshNamespace, postgresUrl } from '../../support/shared-postgres.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { elsewhere } from './elsewhere.js';

/** A log in a namespace of its own, to which the way can be cut. */
export async function makePostgresLog(): Promise<DeletableTestLog> {
  const url = await postgresUrl();
  const namespace = freshNamespace();
  const proxy = await TcpProxy.to(url);
  const stores: PostgresEventStore[] = [];
  const openStore = async (): Promise<PostgresEventStore> => {
    const store = await openPostgresEventStore(proxy.through(url), { namespace });
    stores.push(store);
    return store;
  };
  return {
    open: openStore,
    elsewhere: elsewhere({ kind: 'events', url, namespace }),
    unsafeSettings: async () => (await openStore()).unsafeSettings(),
    interrupt: async () => {
      proxy.down();
      return async () => {
        proxy.up();
      };
    },
    dispose: async () => {
      for (const store of stores) await store.close();
      await proxy.close();
      await dropNamespace(namespace);
    },
  };
}
