import { randomBytes, randomUUID } from 'node:crypto';
import { NestFactory } from '@nestjs/core';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { agentDirectory } from './agents/projection.js';
import { AGENT_EVENT_TYPES } from './agents/event-types.js';
import { AppModule, type Parts } from './app.module.js';
import { createKeyring } from './attestation/create-keyring.js';
import { loadPlatformKeys } from './attestation/platform-key-file.js';
import type { PlatformKeyring } from './attestation/platform-keyring.js';
import { isLoopback } from './config/addresses.js';
import type { Config } from './config/config.js';
import type { KeyStore } from './event-store/key-store.js';
import { pooledRandomBytes } from './event-store/pooled-random-bytes.js';
import type { EventStore } from './event-store/port.js';
import { logReaches } from './event-store/log-reaches.js';
import { openSqliteEventStore } from './event-store/sqlite/sqlite-event-store.js';
import { openSqliteKeyStore } from './event-store/sqlite/sqlite-key-store.js';
import { WatchedEventStore } from './event-store/watched-event-store.js';
import type { Authenticator } from './http/authentication/authenticator.js';
import { createAuthenticator } from './http/authentication/create-authenticator.js';
import { DtoPipe } from './http/dto-pipe.js';
import { createEdge } from './http/edge.js';
import { logFault, logReport } from './http/fault-log.js';
import { HealthRegistry } from './http/health/health-registry.js';
import {
  attestationHealth,
  eventStoreHealth,
  keyStoreHealth,
  processesHealth,
  projectionsHealth,
} from './http/health/sources.js';
import { serveOpenApi } from './http/openapi/serve.js';
import { DOCS_PATH } from './http/openapi/paths.js';
import type { Route } from './http/method-table.js';
import { ProblemFilter } from './http/problem-filter.js';
import { INTERACTION_EVENT_TYPES } from './interactions/event-types.js';
import { interactionListProjection } from './interactions/projection.js';
import { REJECTIONS } from './kernel/rejection.js';
import { agentsBehind, interactionsBehind } from './processes/bus-contexts.js';
import { Processes } from './processes/processes.js';
import { ProjectionRunner } from './projections/projection-runner.js';
import { lockReadDatabase } from './projections/sqlite/read-database-lock.js';
import { SqliteReadDatabase } from './projections/sqlite/sqlite-read-database.js';
import { StartupError } from './config/startup-error.js';

/** A service that takes requests. */
export interface Service {
  /** Where it listens, without a trailing slash: `http://127.0.0.1:8080`. */
  readonly url: string;
  /** The page of the API's documentation. */
  readonly docsUrl: string;
  /** Every route that is served, whether documented or not. */
  readonly routes: readonly Route[];
  /** Takes no new requests, answers those under way, then closes everything. Idempotent. */
  close(): Promise<void>;
}

/** What is opened in order, and closed in the opposite one. */
class Opened {
  readonly #closers: (() => Promise<void> | void)[] = [];

  onClose(close: () => Promise<void> | void): void {
    this.#closers.unshift(close);
  }

  /** Closes everything, also when something does not close well. */
  async close(): Promise<void> {
    for (const close of this.#closers.splice(0)) {
      try {
        await close();
      } catch (error) {
        logFault(error, 'shutdown');
      }
    }
  }
}

/**
 * Starts a node: stores, platform keys, views, HTTP. What was opened is closed again when it fails.
 * @throws {StartupError} when keys or files are not as they must be
 */
export async function startService(config: Config): Promise<Service> {
  const opened = new Opened();
  try {
    return await start(config, opened);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function start(config: Config, opened: Opened): Promise<Service> {
  const engine = await openSqliteEventStore(config.eventStore.path, {
    onFault: (fault) => {
      logFault(fault, 'event-store');
    },
  });
  const eventStore = new WatchedEventStore(engine, Date.now);
  opened.onClose(() => eventStore.close());
  const keyStore = await openSqliteKeyStore(config.keyStore.path, { randomBytes });
  opened.onClose(() => keyStore.close());
  const keyring = await openKeyring(config, eventStore, keyStore);
  const projections = await openProjections(config, eventStore, keyStore, opened);
  const health = new HealthRegistry();
  health.add(
    eventStoreHealth(eventStore),
    keyStoreHealth(keyStore),
    attestationHealth(keyring),
    projectionsHealth(projections),
  );
  const parts: Parts = {
    config,
    clock: Date.now,
    random: pooledRandomBytes,
    eventStore,
    keyStore,
    readModel: projections,
    keyring,
    health,
  };
  return listen(parts, await createAuthenticator(config, Date.now), opened);
}

async function openKeyring(
  config: Config,
  store: EventStore,
  keys: KeyStore,
): Promise<PlatformKeyring> {
  const held = await loadPlatformKeys(config.platformKeys);
  if (!held.ok) {
    throw new StartupError(held.error.map((fault) => `${config.platformKeys.file}: ${fault}`));
  }
  const parts = { store, keys, clock: Date.now, random: pooledRandomBytes, newId: randomUUID };
  const keyring = createKeyring(parts, held.value);
  const registered = await keyring.register();
  if (!registered.ok) {
    const { code, detail } = registered.error;
    throw new StartupError([`${config.platformKeys.file}: ${detail ?? REJECTIONS[code]}`]);
  }
  return keyring;
}

/** A node that is being replaced gives its read database up when it stops, in milliseconds. */
const READ_DATABASE_PATIENCE_MS = 15_000;

async function openProjections(
  config: Config,
  store: EventStore,
  keys: KeyStore,
  opened: Opened,
): Promise<ProjectionRunner> {
  const { path } = config.readModel;
  const unlock = await lockReadDatabase(path, READ_DATABASE_PATIENCE_MS);
  if (unlock === undefined) {
    throw new StartupError([
      `READ_MODEL ${path} is in use by another process; each node keeps a read database of its own`,
    ]);
  }
  opened.onClose(unlock);
  const database = new SqliteReadDatabase(path);
  opened.onClose(() => {
    database.close();
  });
  const runner = new ProjectionRunner({
    store,
    keys,
    types: { ...AGENT_EVENT_TYPES, ...INTERACTION_EVENT_TYPES },
    database,
    projections: [agentDirectory, interactionListProjection],
    clock: Date.now,
    report: logReport,
  });
  opened.onClose(() => runner.stop());
  runner.start();
  return runner;
}

async function listen(
  parts: Parts,
  authenticator: Authenticator,
  opened: Opened,
): Promise<Service> {
  const { config } = parts;
  let isDraining = false;
  const edge = createEdge({
    publicBaseUrl: config.publicBaseUrl,
    authenticate: (authorization) => authenticator.authenticate(authorization),
    reaches: (position) => logReaches(parts.eventStore, position, config.readWaitMs),
    isDraining: () => isDraining,
  });
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.with(parts),
    edge.adapter,
    {
      // Faults are logged with their correlation ids by the edge, and faults of the start are thrown.
      logger: false,
      bodyParser: false,
      abortOnError: false,
    },
  );
  const processes = openProcesses(parts, app, opened);
  opened.onClose(() => app.close());
  app.useGlobalFilters(new ProblemFilter(edge.problems));
  app.useGlobalPipes(new DtoPipe());
  serveOpenApi(app, config.publicBaseUrl);
  await app.listen(config.listen.port, config.listen.host);
  processes.start();
  const url = listeningUrl(config, app);
  return {
    url,
    docsUrl: `${url}${DOCS_PATH}`,
    routes: edge.routes(),
    close: async () => {
      isDraining = true;
      await opened.close();
    },
  };
}

/** Closed after HTTP: a request under way never waits for a process. */
function openProcesses(parts: Parts, app: NestFastifyApplication, opened: Opened): Processes {
  const { config, eventStore, clock, random, health } = parts;
  const queries = app.get(QueryBus);
  const processes = new Processes({
    store: eventStore,
    node: config.nodeId,
    clock,
    random,
    report: logReport,
    interactions: interactionsBehind(app.get(CommandBus), queries),
    agents: agentsBehind(queries),
  });
  opened.onClose(() => processes.stop());
  health.add(processesHealth(processes));
  return processes;
}

/** Says where the node listens; a name that resolves to more than this machine ends a development node. */
function listeningUrl(config: Config, app: NestFastifyApplication): string {
  const server = app.getHttpAdapter().getInstance();
  const addresses = server.addresses().filter((address) => typeof address !== 'string');
  if (config.mode === 'development' && !addresses.every(({ address }) => isLoopback(address))) {
    throw new StartupError(['HOST: is no loopback address, which COUNTERSIGN_DEV=1 demands']);
  }
  const { host, port } = config.listen;
  const bound = addresses[0]?.port ?? port;
  return `http://${host.includes(':') ? `[${host}]` : host}:${String(bound)}`;
}
