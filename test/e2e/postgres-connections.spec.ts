import pg from 'pg';
import { expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { startTestService } from '../support/service.js';
import { contractOf, documentOf, Negotiator, pathOf } from './support/negotiator.js';
import { freshDatabase } from './support/postgres-stores.js';

/** As docs/engines.md says: of the log 6, of its tree's thread 6, of the tasks 6, of the keys 5. */
const MOST = 23;

it('a node whose stores are all in PostgreSQL opens the connections that its documentation says', async () => {
  const database = await freshDatabase();
  const service = await startTestService({ env: { EVENT_STORE: database.url } });
  const alpha = await Negotiator.register(service, 'alpha');
  const beta = await Negotiator.register(service, 'beta');
  const watcher = new pg.Client({ connectionString: database.url });
  await watcher.connect();
  /** The newest statement of each. */
  const connections = async (): Promise<readonly string[]> => {
    const { rows } = await watcher.query<{ query: string }>(
      `SELECT query FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    return rows.map(({ query }) => query);
  };

  // Those that listen, outside of the pools: the tree's thread has one of its own.
  await eventually(async () => {
    const heads = (await connections()).map((query) => /"(\w+)"\.newest\(\) AS head/.exec(query));
    const listening = heads.flatMap((match) => match?.[1] ?? []).sort();
    return listening.join() === 'countersign_log,countersign_log,countersign_tasks';
  });

  let most = 0;
  let isWorking = true;
  const watching = (async () => {
    while (isWorking) most = Math.max(most, (await connections()).length);
  })();
  await Promise.all(
    Array.from({ length: 40 }, async () => {
      const proposed = await alpha.propose(contractOf([alpha, beta]), beta);
      const active = documentOf(await beta.accept(documentOf(proposed)));
      await Promise.all(Array.from({ length: 3 }, () => alpha.get(`${pathOf(active)}/events`)));
    }),
  );
  isWorking = false;
  await watching;
  expect(most).toBeGreaterThan(6);
  expect(most).toBeLessThanOrEqual(MOST);
  await watcher.end();
  await service.dispose();
  await database.stop();
}, 60_000);
