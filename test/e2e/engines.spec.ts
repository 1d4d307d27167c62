import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { built } from '../support/built.js';
import { eventually } from '../support/eventually.js';
import { runMain, startTestService } from '../support/service.js';
import { contractOf, documentOf, Negotiator } from './support/negotiator.js';
import { freshDatabase, type FreshDatabase } from './support/postgres-stores.js';

/** Processes of their own start slowly where many tests run at once. */
const TIMEOUT_MS = 120_000;

let folder: string;
let database: FreshDatabase;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-test-'));
  database = await freshDatabase();
}, TIMEOUT_MS);

afterAll(async () => {
  await database.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('a node whose stores are not as they must be', () => {
  const run = (env: Readonly<Record<string, string>>) =>
    runMain({
      COUNTERSIGN_DEV: '1',
      DATA_FOLDER: folder,
      PORT: '0',
      PUBLIC_BASE_URL: 'https://countersign.example',
      ...env,
    });
  const wrongPassword = (): string => {
    const url = new URL(database.url);
    url.password = 'hunter2';
    return url.href;
  };
  const otherDatabase = (): string => database.url.replace(/\/[^/]*$/, '/there_is_none');

  it(
    'does not start, says which setting it is, and tells no password',
    async () => {
      const keys = { KEY_STORE: `sqlite:${join(folder, 'esdb-keys.db')}` };
      const cases: readonly (readonly [env: Record<string, string>, reason: RegExp])[] = [
        [
          { EVENT_STORE: 'postgres://u:hunter2@127.0.0.1:9/db' },
          /EVENT_STORE postgres:\/\/127\.0\.0\.1:9\/db: .*reached/,
        ],
        [
          { EVENT_STORE: wrongPassword() },
          /EVENT_STORE postgres:\/\/127\.0\.0\.1:\d+\/\w+: .*refuses/,
        ],
        [{ KEY_STORE: wrongPassword() }, /KEY_STORE postgres:.*refuses/],
        [{ TASK_STORE: otherDatabase() }, /TASK_STORE postgres:.*no such database/],
        [
          { EVENT_STORE: 'esdb://admin:hunter2@127.0.0.1:9?tls=false', ...keys },
          /EVENT_STORE esdb:\/\/127\.0\.0\.1:9: EventStoreDB cannot be reached/,
        ],
        [
          { EVENT_STORE: 'esdb://admin:hunter2@127.0.0.1:9?password=hunter2', ...keys },
          /EVENT_STORE esdb:.*option/,
        ],
      ];
      const runs = cases.map(async ([env, reason], index) => {
        // The locks of read databases are not what this is about.
        const own = { DATA_FOLDER: join(folder, String(index)) };
        const { exitCode, output, errors } = await run({ ...own, ...env });
        expect([env, exitCode, output]).toEqual([env, 1, '']);
        expect(errors).toMatch(reason);
        expect(errors).not.toContain('hunter2');
        expect(errors).not.toMatch(/^\s+at /m);
      });
      await Promise.all(runs);
    },
    TIMEOUT_MS,
  );

  it(
    'does not start with other keys than those of the log',
    async () => {
      const service = await startTestService();
      const alpha = await Negotiator.register(service, 'alpha');
      const beta = await Negotiator.register(service, 'beta');
      documentOf(await alpha.propose(contractOf([alpha, beta]), beta));
      await service.stop();
      const foreign = { KEY_STORE: `sqlite:${join(folder, 'others.db')}` };
      const { exitCode, errors } = await run({ DATA_FOLDER: service.folder, ...foreign });
      expect(exitCode).toBe(1);
      expect(errors).toMatch(/KEY_STORE sqlite:\S+others\.db: lacks keys of the log/);
      await service.start();
      await service.dispose();
    },
    TIMEOUT_MS,
  );

  it(
    'does not start with a key store of its own over a log that has no texts yet',
    async () => {
      const service = await startTestService();
      const keys = join(folder, 'own.db');
      const own = { DATA_FOLDER: join(folder, 'own'), KEY_STORE: `sqlite:${keys}` };
      const log = { EVENT_STORE: `sqlite:${join(service.folder, 'events.db')}` };
      const { exitCode, output, errors } = await run({ ...own, ...log });
      expect([exitCode, output]).toEqual([1, '']);
      expect(errors).toContain(`KEY_STORE sqlite:${keys}: is not the key store that the log`);
      await service.dispose();
    },
    TIMEOUT_MS,
  );
});

describe('one node over PostgreSQL', () => {
  it(
    'says in its health which engine it is, and finds everything again after a restart',
    async () => {
      const service = await startTestService({ env: { EVENT_STORE: database.url } });
      const alpha = await Negotiator.register(service, 'alpha');
      const beta = await Negotiator.register(service, 'beta');
      const document = documentOf(await alpha.propose(contractOf([alpha, beta]), beta));
      await service.restart();
      expect(documentOf(await beta.accept(document)).status).toBe('active');
      const token = await service.token({ scopes: ['operator:read'] });
      const health = () => service.call('GET', '/health', { token });
      // Its views and processes may have some events to go.
      await eventually(async () => (await health()).body['status'] === 'ready');
      const { text, body } = await health();
      expect(body).toMatchObject({
        checks: {
          'event-store': { details: { engine: 'postgres' } },
          'key-store': { details: { engine: 'postgres' } },
        },
      });
      expect(text).not.toContain(new URL(database.url).password);
      await service.dispose();
    },
    TIMEOUT_MS,
  );
});

describe('the drivers of servers', () => {
  const load = async (...modules: readonly string[]): Promise<string> => {
    const urls = modules.map(
      (each) => pathToFileURL(built(new URL(`../../src/${each}`, import.meta.url))).href,
    );
    const script = `
      for (const url of ${JSON.stringify(urls)}) await import(url);
      const { createRequire } = await import('node:module');
      const { cache } = createRequire(${JSON.stringify(fileURLToPath(import.meta.url))});
      console.log(Object.keys(cache).join('\\n'));`;
    const options = ['--input-type=module', '-e', script];
    return (await promisify(execFile)(process.execPath, options)).stdout;
  };
  const DRIVERS = /node_modules\/(pg|@grpc\/grpc-js|@eventstore\/db-client)\//g;
  const driversIn = (list: string) => [...new Set(list.match(DRIVERS))].length;

  it(
    'are loaded by whoever names them in a setting, and by nobody else',
    async () => {
      expect(driversIn(await load('service.ts', 'event-store/sqlite/sqlite-event-store.ts'))).toBe(
        0,
      );
      const adapters = [
        'postgres/postgres-event-store.ts',
        'eventstoredb/eventstoredb-event-store.ts',
      ];
      const all = await load(...adapters.map((adapter) => `event-store/${adapter}`));
      expect(driversIn(all)).toBe(3);
    },
    TIMEOUT_MS,
  );
});
