import { join } from 'node:path';
import { HONOURED_EXTENSIONS } from '../capabilities/domain/card-extensions.js';
import { isSecureUrl } from './addresses.js';
import type { EnvironmentReader } from './environment.js';
import { readHostedAgents } from './hosted-agents-file.js';
import type { A2aConfig, HostedAgent, ModelRouterConfig } from './hosted-agents.js';
import { readStore } from './read-store.js';

/**
 * Names the contract under which a message is sent. The same for every deployment, so that a client
 * knows it before it knows the deployment; a breaking change gets another version.
 */
const DEFAULT_TRUST_EXTENSION = 'https://countersign.example/extensions/trust/v1';

const HOUR_MS = 3_600_000;
const YEARS_10_IN_HOURS = 87_600;

/** Settings of the A2A surface: what is dangerous in them is open to development nodes alone. */
export function readA2aConfig(
  reader: EnvironmentReader,
  isDevelopment: boolean,
  dataFolder: string,
): A2aConfig {
  return {
    agents: readAgents(reader, isDevelopment),
    anonymous: readAnonymous(reader, isDevelopment),
    taskStorePath: readStore(reader, 'TASK_STORE', join(dataFolder, 'tasks.db')).path,
    taskReadModelPath: readStore(reader, 'TASK_READ_MODEL', join(dataFolder, 'tasks-read.db')).path,
    taskRetentionMs: reader.integer('TASK_RETENTION_HOURS', 168, [1, YEARS_10_IN_HOURS]) * HOUR_MS,
    executionTimeoutMs: reader.integer('EXECUTION_TIMEOUT_SECONDS', 300, [1, 86_400]) * 1000,
    allowLoopbackWebhooks: readLoopbackWebhooks(reader, isDevelopment),
    routingThreshold: reader.fraction('ROUTING_THRESHOLD', 0.6),
    textClassifier: reader.choice('TEXT_CLASSIFIER', ['encoder', 'words']),
    modelRouter: readModelRouter(reader),
    trustExtensionUri: readTrustExtension(reader),
    directInvokeExtensionUri: readDirectInvoke(reader),
    vocabulary: readVocabulary(reader),
    requiredExtensions: readRequiredExtensions(reader),
  };
}

function readAgents(reader: EnvironmentReader, isDevelopment: boolean): readonly HostedAgent[] {
  const path = reader.optional('HOSTED_AGENTS');
  if (path === undefined) return [];
  const agents = readHostedAgents(path, isDevelopment);
  if (agents.ok) return agents.value;
  for (const { pointer, detail } of agents.error) {
    reader.fault('HOSTED_AGENTS', `${path}${pointer === '' ? '' : `#${pointer}`} ${detail}`);
  }
  return [];
}

function readAnonymous(reader: EnvironmentReader, isDevelopment: boolean): A2aConfig['anonymous'] {
  const anonymous = reader.choice('A2A_ANONYMOUS', ['refused', 'secret', 'shared']);
  if (anonymous === 'shared' && !isDevelopment) {
    reader.fault('A2A_ANONYMOUS', 'may be shared only under COUNTERSIGN_DEV=1');
  }
  return anonymous;
}

function readLoopbackWebhooks(reader: EnvironmentReader, isDevelopment: boolean): boolean {
  const isAllowed = reader.flag('ALLOW_LOOPBACK_WEBHOOKS');
  if (isAllowed && !isDevelopment) {
    reader.fault('ALLOW_LOOPBACK_WEBHOOKS', 'may be 1 only under COUNTERSIGN_DEV=1');
  }
  return isAllowed;
}

const MODEL_ROUTER_DETAILS = [
  'MODEL_ROUTER_MODEL',
  'MODEL_ROUTER_API_KEY',
  'MODEL_ROUTER_TIMEOUT_MS',
  'MODEL_ROUTER_CALLS_PER_MINUTE',
];

/** Texts of callers leave the service through it: off unless its address is named. */
function readModelRouter(reader: EnvironmentReader): ModelRouterConfig | null {
  const url = reader.optional('MODEL_ROUTER_URL');
  if (url === undefined) {
    for (const variable of MODEL_ROUTER_DETAILS) {
      if (reader.optional(variable) === undefined) continue;
      reader.fault(variable, 'means nothing without MODEL_ROUTER_URL');
    }
    return null;
  }
  // A model on this machine needs no TLS: nothing leaves it.
  const isFine = URL.canParse(url) && isSecureUrl(new URL(url), true) && !url.includes('@');
  if (!isFine) reader.fault('MODEL_ROUTER_URL', 'must be an https URL without a user');
  return {
    url,
    model: reader.required('MODEL_ROUTER_MODEL', 'with MODEL_ROUTER_URL'),
    apiKey: reader.optional('MODEL_ROUTER_API_KEY') ?? null,
    timeoutMs: reader.integer('MODEL_ROUTER_TIMEOUT_MS', 3000, [100, 60_000]),
    callsPerMinute: reader.integer('MODEL_ROUTER_CALLS_PER_MINUTE', 60, [1, 100_000]),
  };
}

/** Absolute, in characters that a comma list of a header can hold, its version at its end. */
const EXTENSION_URI = /^(?:https:\/\/[^\s,"<>\\^`{|}]+\/|urn:[^\s,"<>\\^`{|}]+:)v\d+(?:\.\d+)*$/;

function readTrustExtension(reader: EnvironmentReader): string {
  const uri = reader.optional('TRUST_EXTENSION_URI') ?? DEFAULT_TRUST_EXTENSION;
  const isAscii = /^[\x21-\x7e]{1,255}$/.test(uri);
  if (!isAscii || !EXTENSION_URI.test(uri)) {
    const why = 'must be an https or urn URI that ends in a version, such as /v1';
    reader.fault('TRUST_EXTENSION_URI', why);
  }
  return uri;
}

const DEFAULT_DIRECT_INVOKE = 'https://example.com/a2a/extensions/skill-direct-invoke/v1';

function readDirectInvoke(reader: EnvironmentReader): string | null {
  const uri = reader.optional('DIRECT_INVOKE_EXTENSION_URI') ?? DEFAULT_DIRECT_INVOKE;
  if (reader.choice('DIRECT_INVOKE', ['on', 'off']) === 'off') return null;
  if (!EXTENSION_URI.test(uri)) {
    const why = 'must be an https or urn URI that ends in a version, such as /v1';
    reader.fault('DIRECT_INVOKE_EXTENSION_URI', why);
  }
  return uri;
}

/** Identifiers with commas between them. */
function readVocabulary(reader: EnvironmentReader): readonly string[] {
  const text = reader.optional('VOCABULARY') ?? '';
  return text.split(',').flatMap((entry) => (entry.trim() === '' ? [] : [entry.trim()]));
}

/** URIs with commas between them. */
function readRequiredExtensions(reader: EnvironmentReader): readonly string[] {
  const declared = HONOURED_EXTENSIONS.map(({ uri }) => uri);
  const text = reader.optional('REQUIRED_EXTENSIONS') ?? '';
  const uris = text.split(',').flatMap((uri) => (uri.trim() === '' ? [] : [uri.trim()]));
  if (!uris.every((uri) => declared.includes(uri))) {
    const allowed = declared.length === 0 ? 'there are none yet' : declared.join(', ');
    reader.fault('REQUIRED_EXTENSIONS', `may name only what cards declare: ${allowed}`);
  }
  return [...new Set(uris)];
}
