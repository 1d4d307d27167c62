import { randomBytes } from 'node:crypto';
import {
  openPostgresKeyStore,
  type PostgresKeyStore,
} from '../../../src/event-store/postgres/postgres-key-store.js';
import type { TestKeys } from '../../contracts/key-store/fixture.js';
import { dropNamespace, freshNamespace, postgresUrl } from '../../support/shared-postgres.js';
import { elsewhere } from './elsewhere.js';

/** Keys in a namespace of their own. */
export async function makePostgresKeys(): Promise<TestKeys> {
  const url = await postgresUrl();
  const namespace = freshNamespace();
  const stores: PostgresKeyStore[] = [];
  const openStore = async (): Promise<PostgresKeyStore> => {
    const store = await openPostgresKeyStore(url, { namespace, randomBytes });
    stores.push(store);
    return store;
  };
  return {
    open: openStore,
    elsewhere: elsewhere({ kind: 'keys', url, namespace }),
    unsafeSettings: async () => (await openStore()).unsafeSettings(),
    dispose: async () => {
      for (const store of stores) await store.close();
      await dropNamespace(namespace);
    },
  };
}
