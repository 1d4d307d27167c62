import { randomBytes, randomUUID } from 'node:crypto';
import { NestFactory } from '@nestjs/core';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ExtendedCards } from './a2a/card/extended-cards.js';
import { MessageExecution } from './a2a/turns/agent-operations.js';
import { ApprovedTurns } from './a2a/turns/approved-turns.js';
import { RequestNegotiation } from './a2a/negotiation/request-negotiation.js';
import { registerA2aRoutes } from './a2a/transports/a2a-routes.js';
import { AppModule, type Parts } from './app.module.js';
import { createKeyring } from './attestation/create-keyring.js';
import { loadPlatformKeys } from './attestation/platform-key-file.js';
import type { PlatformKeyring } from './attestation/platform-keyring.js';
import { CapabilityLoader } from './capabilities/manifest-files/capability-loader.js';
import { isLoopback } from './config/addresses.js';
import type { Config } from './config/config.js';
import type { KeyStore } from './event-store/key-store.js';
import type { EventStore } from './event-store/port.js';
import { logReaches } from './event-store/log-reaches.js';
import { pooledRandomBytes } from './event-store/pooled-random-bytes.js';
import { WatchedEventStore } from './event-store/watched-event-store.js';
import { WatchedKeyStore } from './event-store/watched-key-store.js';
import type { Authenticator } from './http/authentication/authenticator.js';
import { createAuthenticator } from './http/authentication/create-authenticator.js';
import { DtoPipe } from './http/dto-pipe.js';
import { createEdge, type Edge } from './http/edge.js';
import { logReport } from './http/fault-log.js';
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
import { InvocationLedger } from './invocations/commands/invocation-ledger.js';
import { REJECTIONS } from './kernel/rejection.js';
import { agentsOverBus, interactionsOverBus } from './processes/bus-contexts.js';
import { Processes } from './processes/processes.js';
import { StartupError } from './config/startup-error.js';
import { loadHandlers } from './wiring/load-handlers.js';
import { openEventStore } from './wiring/open-event-store.js';
import { openKeyStore } from './wiring/open-key-store.js';
import { openProjections } from './wiring/open-projections.js';
import { openTasks } from './wiring/open-tasks.js';
import { openTextClassifier } from './wiring/open-text-classifier.js';
import { openTransparencyLog } from './wiring/open-transparency-log.js';
import { Opened } from './wiring/opened.js';

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

/** Of the nonces and salts of events: of some hundred at a time. */
const RANDOM_POOL_BYTES = 4096;

async function start(config: Config, opened: Opened): Promise<Service> {
  const eventStore = new WatchedEventStore(await openEventStore(config.eventStore), Date.now);
  opened.onClose(() => eventStore.close());
  const keyStore = new WatchedKeyStore(await openKeyStore(config.keyStore, eventStore), Date.now);
  opened.onClose(() => keyStore.close());
  const keyring = await openKeyring(config, eventStore, keyStore);
  const projections = await openProjections(config, eventStore, keyStore, opened);
  const health = new HealthRegistry();
  health.add(
    eventStoreHealth(eventStore, config.eventStore.engine),
    keyStoreHealth(keyStore, config.keyStore.engine),
    attestationHealth(keyring),
    projectionsHealth('projections', projections),
  );
  const random = pooledRandomBytes(RANDOM_POOL_BYTES);
  const transparencyLog = await openTransparencyLog(config, eventStore, keyring, random, opened);
  health.add(transparencyLog.health);
  const tasks = await openTasks(config, opened);
  health.add(...tasks.health);
  const textClassifier = openTextClassifier(config, opened);
  const parts: Parts = {
    config,
    clock: Date.now,
    random,
    eventStore,
    keyStore,
    readModel: projections,
    keyring,
    health,
    transparencyLog,
    taskService: tasks.service,
    textClassifier,
    handlers: await loadHandlers(config.a2a.agents),
  };
  return await listen(parts, await createAuthenticator(config, Date.now), opened);
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
  const parts = { store, keys, clock: Date.now, random: randomBytes, newId: randomUUID };
  const keyring = createKeyring(parts, held.value);
  const registered = await keyring.register();
  if (!registered.ok) {
    const { code, detail } = registered.error;
    throw new StartupError([`${config.platformKeys.file}: ${detail ?? REJECTIONS[code]}`]);
  }
  if (config.a2a.agents.length > 0 && !(await keyring.cardSigner()).ok) {
    throw new StartupError([
      `${config.platformKeys.file}: hosted agents need a key of the purpose card`,
    ]);
  }
  const callsOut = config.a2a.agents.some(({ backends }) => backends.size > 0);
  if (callsOut && !(await keyring.backendTokenSigner()).ok) {
    throw new StartupError([
      `${config.platformKeys.file}: backends of hosted agents need a key of the purpose backend-token`,
    ]);
  }
  return keyring;
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
  await serveA2a(parts, app, edge);
  await app.listen(config.listen.port, config.listen.host);
  parts.transparencyLog.start();
  processes.start();
  parts.taskService.start(app.get(InvocationLedger, { strict: false }));
  app.get(ApprovedTurns, { strict: false }).start();
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
  const { config, eventStore, keyStore, clock, random, health } = parts;
  const queries = app.get(QueryBus);
  const processes = new Processes({
    store: eventStore,
    node: config.nodeId,
    clock,
    random,
    report: logReport,
    interactions: interactionsOverBus(app.get(CommandBus), queries),
    agents: agentsOverBus(queries),
    keys: keyStore,
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

/** The files of a deployment become the registry's, before anybody can ask; then A2A is served. */
async function serveA2a(
  { config, taskService }: Parts,
  app: NestFastifyApplication,
  { allowed, answers }: Pick<Edge, 'allowed' | 'answers'>,
): Promise<void> {
  await app.init();
  for (const change of await app.get(CapabilityLoader, { strict: false }).load()) {
    logReport('a manifest file changed the registry', { ...change });
  }
  await registerA2aRoutes(app.getHttpAdapter().getInstance(), {
    config: config.a2a,
    services: {
      messages: app.get(MessageExecution, { strict: false }),
      tasks: taskService.tasks,
      pushConfigs: taskService.pushConfigs,
      cards: app.get(ExtendedCards, { strict: false }),
    },
    negotiation: app.get(RequestNegotiation, { strict: false }),
    allowed,
    answers,
  });
}
