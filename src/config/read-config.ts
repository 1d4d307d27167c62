import { join, resolve } from 'node:path';
import { err, ok, type Result } from '../kernel/result.js';
import { baseUrlFault, isLoopback, issuerUrlFault } from './addresses.js';
import type { Config, PlatformKeySource, TokenTrust } from './config.js';
import { DEFAULT_DATA_FOLDER, devIssuerKeyFile } from './data-folder.js';
import { EnvironmentReader, type ConfigFault, type Environment } from './environment.js';
import { readA2aConfig } from './read-a2a-config.js';
import { readFile, readStores } from './read-stores.js';
import { readTransparencyLog } from './read-transparency-log.js';
import type { EventStoreLocation } from './store-location.js';

/**
 * Reads the configuration from environment variables. It fails closed: outside development an
 * issuer, its audience, a public base URL and platform keys must be named, and nothing stands in
 * for them. Every fault is reported at once, with the variable's name.
 *
 * @param hostName what the node is called when NODE_ID does not say
 */
export function readConfig(
  environment: Environment,
  hostName: string,
): Result<Config, readonly ConfigFault[]> {
  const reader = new EnvironmentReader(environment);
  const isDevelopment = reader.flag('COUNTERSIGN_DEV');
  const listen = readListen(reader, isDevelopment);
  const dataFolder = reader.optional('DATA_FOLDER') ?? DEFAULT_DATA_FOLDER;
  const { eventStore, keyStore, taskStore } = readStores(reader, dataFolder);
  const config: Config = {
    mode: isDevelopment ? 'development' : 'production',
    listen,
    publicBaseUrl: readPublicBaseUrl(reader, isDevelopment, listen),
    dataFolder,
    eventStore,
    keyStore,
    readModel: readFile(reader, 'READ_MODEL', join(dataFolder, 'read.db')),
    transparencyLog: readTransparencyLog(reader, dataFolder),
    nodeId: readNodeId(reader, hostName),
    tokens: readTokenTrust(reader, isDevelopment, dataFolder),
    platformKeys: readPlatformKeys(reader, isDevelopment, dataFolder),
    signingLeewayMs: reader.integer('SIGNING_LEEWAY_SECONDS', 300, [0, 300]) * 1000,
    readWaitMs: reader.integer('READ_WAIT_MS', 2000, [0, 30_000]),
    a2a: readA2aConfig(reader, isDevelopment, dataFolder, taskStore),
  };
  refuseSharedFiles(reader, config);
  return reader.faults.length === 0 ? ok(deepFreeze(config)) : err(reader.faults);
}

/** Each store is alone in its file: none may delete, lock or rebuild what another keeps. */
function refuseSharedFiles(reader: EnvironmentReader, config: Config): void {
  const { eventStore, keyStore, readModel, transparencyLog, a2a } = config;
  const stores: readonly (readonly [variable: string, location: EventStoreLocation])[] = [
    ['EVENT_STORE', eventStore],
    ['KEY_STORE', keyStore],
    ['READ_MODEL', readModel],
    ['LOG_TREE', transparencyLog.tree],
    ['TASK_STORE', a2a.taskStore],
    ['TASK_READ_MODEL', { engine: 'sqlite', path: a2a.taskReadModelPath }],
  ];
  const taken = new Map<string, string>();
  for (const [variable, location] of stores) {
    if (location.engine !== 'sqlite') continue;
    const path = resolve(location.path);
    const owner = taken.get(path);
    if (owner === undefined) taken.set(path, variable);
    else reader.fault(variable, `must be another file than ${owner}`);
  }
}

function readListen(reader: EnvironmentReader, isDevelopment: boolean): Config['listen'] {
  const host = reader.optional('HOST') ?? (isDevelopment ? '127.0.0.1' : '0.0.0.0');
  if (isDevelopment && !isLoopback(host)) {
    reader.fault('HOST', 'must be a loopback address under COUNTERSIGN_DEV=1');
  }
  return { host, port: reader.integer('PORT', 8080, [0, 65_535]) };
}

function readPublicBaseUrl(
  reader: EnvironmentReader,
  isDevelopment: boolean,
  listen: Config['listen'],
): string {
  const url = reader.optional('PUBLIC_BASE_URL');
  if (url !== undefined) {
    const fault = baseUrlFault(url, isDevelopment);
    if (fault !== undefined) reader.fault('PUBLIC_BASE_URL', fault);
    return url;
  }
  if (!isDevelopment) return reader.required('PUBLIC_BASE_URL', 'unless COUNTERSIGN_DEV=1');
  if (listen.port === 0) reader.fault('PUBLIC_BASE_URL', 'is required when PORT is 0');
  const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host;
  return `http://${host}:${String(listen.port)}`;
}

function readNodeId(reader: EnvironmentReader, hostName: string): string {
  const nodeId = reader.optional('NODE_ID') ?? hostName;
  if (!/^[\x21-\x7e]{1,128}$/.test(nodeId)) {
    reader.fault('NODE_ID', 'must be 1 to 128 printable ASCII characters without spaces');
  }
  return nodeId;
}

const OIDC_VARIABLES = [
  'OIDC_ISSUER',
  'OIDC_AUDIENCE',
  'OIDC_JWKS_URI',
  'OIDC_AGENT_CLAIM',
  'OIDC_TENANT_CLAIM',
];

/** In development an issuer may be named too; then the service's own is not used at all. */
function readTokenTrust(
  reader: EnvironmentReader,
  isDevelopment: boolean,
  dataFolder: string,
): TokenTrust {
  const leewaySeconds = reader.integer('TOKEN_LEEWAY_SECONDS', 30, [0, 300]);
  if (isDevelopment && OIDC_VARIABLES.every((name) => reader.optional(name) === undefined)) {
    return { kind: 'dev-issuer', keyFile: devIssuerKeyFile(dataFolder), leewaySeconds };
  }
  const why = isDevelopment ? 'when another OIDC_ variable is set' : 'unless COUNTERSIGN_DEV=1';
  const issuer = reader.required('OIDC_ISSUER', why);
  const jwksUri = reader.optional('OIDC_JWKS_URI');
  checkIssuerUrl(reader, 'OIDC_ISSUER', issuer, isDevelopment);
  checkIssuerUrl(reader, 'OIDC_JWKS_URI', jwksUri ?? '', isDevelopment);
  return {
    kind: 'oidc',
    issuer,
    audience: reader.required('OIDC_AUDIENCE', why),
    jwksUri: jwksUri ?? null,
    claims: {
      agent: reader.optional('OIDC_AGENT_CLAIM') ?? 'agent',
      tenant: reader.optional('OIDC_TENANT_CLAIM') ?? 'tenant',
    },
    leewaySeconds,
  };
}

function checkIssuerUrl(
  reader: EnvironmentReader,
  variable: string,
  url: string,
  isDevelopment: boolean,
): void {
  const fault = url === '' ? undefined : issuerUrlFault(url, isDevelopment);
  if (fault !== undefined) reader.fault(variable, fault);
}

function readPlatformKeys(
  reader: EnvironmentReader,
  isDevelopment: boolean,
  dataFolder: string,
): PlatformKeySource {
  const file = reader.optional('PLATFORM_KEYS');
  if (file !== undefined) return { file, generate: false };
  if (!isDevelopment) reader.required('PLATFORM_KEYS', 'unless COUNTERSIGN_DEV=1');
  return { file: join(dataFolder, 'platform-keys.jwks.json'), generate: true };
}

function deepFreeze<T extends object>(value: T): T {
  for (const member of Object.values(value) as unknown[]) {
    if (typeof member === 'object' && member !== null) deepFreeze(member);
  }
  return Object.freeze(value);
}
